package jobstrand.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jobstrand.JdbcJobs;
import jobstrand.KeyHeldException;
import jobstrand.NewJob;
import jobstrand.OnDuplicate;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * On SQLite, and on the servers whose URLs are in the system properties {@code jdbc.postgresql} and
 * {@code jdbc.mariadb}.
 */
class EnqueueTest {
    @TempDir static Path folder;

    private static Service service;

    @BeforeAll
    static void begin() throws Exception {
        service = new Service(folder);
        // One that no node works on, so that jobs stay where they were put.
        service.run("schema", "create", "--db", "sqlite:app.db");
    }

    @AfterAll
    static void end() throws Exception {
        service.close();
    }

    static List<String> databases() {
        List<String> urls = new ArrayList<>(List.of("sqlite"));
        for (String name : List.of("jdbc.postgresql", "jdbc.mariadb", "jdbc.mysql")) {
            String url = System.getProperty(name, "");
            if (!url.isEmpty()) {
                urls.add(url);
            }
        }
        return urls;
    }

    /** In a transaction, on tables without rows of another test. */
    private static Connection connect(String url) throws SQLException {
        Connection connection =
                DriverManager.getConnection(
                        url.equals("sqlite") ? "jdbc:sqlite:" + folder.resolve("app.db") : url);
        connection.setAutoCommit(false);
        for (String table :
                List.of(
                        "ACT_RU_JOB",
                        "ACT_RU_TIMER_JOB",
                        "ACT_RU_EXTERNAL_JOB",
                        "ACT_GE_BYTEARRAY",
                        "JS_UNIQUE")) {
            run(connection, "DELETE FROM " + table);
        }
        run(connection, "CREATE TABLE IF NOT EXISTS ORDERS (ID INTEGER)");
        connection.commit();
        return connection;
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of a query's first row; null: there is none. */
    private static String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            return found.next() ? found.getString(1) : null;
        }
    }

    private static String enqueue(Connection connection, NewJob job) throws SQLException {
        try {
            String id = JdbcJobs.enqueue(connection, job);
            connection.commit();
            return id;
        } catch (SQLException | RuntimeException error) {
            connection.rollback();
            throw error;
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aJobIsThereExactlyIfTheAppCommits(String url) throws SQLException {
        try (Connection connection = connect(url)) {
            for (boolean isCommitted : new boolean[] {false, true}) {
                run(connection, "INSERT INTO ORDERS VALUES (17)");
                String id = JdbcJobs.enqueue(connection, NewJob.of("log", Map.of("order", 17)));
                assertEquals(7, UUID.fromString(id).version());
                if (isCommitted) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                String found =
                        text(
                                connection,
                                "SELECT HANDLER_CFG_ FROM ACT_RU_JOB WHERE ID_ = '" + id + "'");
                assertEquals(isCommitted ? "{\"order\":17}" : null, found);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void allKindsOfJobsGoInTheTransaction(String url) throws SQLException {
        Map<String, String> wanted =
                Map.of(
                        "SELECT TYPE_ FROM ACT_RU_EXTERNAL_JOB WHERE ID_ = 'external'",
                        "externalWorker",
                        "SELECT TYPE_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'full-1'",
                        "externalWorker",
                        "SELECT REPEAT_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'hourly' AND TYPE_ ="
                                + " 'timer'",
                        "R/PT1H",
                        "SELECT b.NAME_ FROM ACT_RU_JOB j JOIN ACT_GE_BYTEARRAY b ON b.ID_ ="
                                + " j.CUSTOM_VALUES_ID_ WHERE j.ID_ = 'long'",
                        "payload",
                        "SELECT HANDLER_TYPE_ FROM ACT_RU_JOB WHERE ID_ = 'short' AND"
                                + " CUSTOM_VALUES_ID_ IS NULL",
                        "log",
                        "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = 'mail-1' AND UNTIL_ IS NOT"
                                + " NULL",
                        "full-1");
        try (Connection connection = connect(url)) {
            for (NewJob job :
                    List.of(
                            Full.JOB,
                            NewJob.of("mail").id("external").external(),
                            NewJob.of("log")
                                    .id("hourly")
                                    .due(Instant.now().plusSeconds(3600))
                                    .repeat("R/PT1H"),
                            NewJob.of("log", "ä".repeat(4000)).id("long"),
                            NewJob.of("log", "ä".repeat(3998)).id("short"))) {
                enqueue(connection, job);
            }
            for (Map.Entry<String, String> one : wanted.entrySet()) {
                assertEquals(one.getValue(), text(connection, one.getKey()), one.getKey());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void timesAreInUtcAndTheSessionIsLeftAsItWas(String url) throws SQLException {
        Instant due = Instant.parse("2037-01-01T12:00:00.125Z");
        try (Connection connection = connect(url)) {
            boolean isMySql = url.startsWith("jdbc:m");
            if (isMySql) {
                run(connection, "SET time_zone = '+05:00'");
            }
            JdbcJobs.enqueue(connection, NewJob.of("log").due(due));
            String read = isMySql ? "UNIX_TIMESTAMP(DUEDATE_)" : "CAST(DUEDATE_ AS CHAR(23))";
            String found = text(connection, "SELECT " + read + " FROM ACT_RU_TIMER_JOB");
            assertEquals(isMySql ? "2114424000.125" : "2037-01-01 12:00:00.125", found);
            if (isMySql) {
                assertEquals("+05:00", text(connection, "SELECT @@session.time_zone"));
                assertThrows(
                        SQLException.class,
                        () -> JdbcJobs.enqueue(connection, NewJob.of("x".repeat(9000))));
                assertEquals("+05:00", text(connection, "SELECT @@session.time_zone"));
            }
            connection.rollback();
        }
    }

    @Test
    void theServiceReadsWhatWasEnqueuedByItsTables() throws SQLException {
        try (Connection connection = service.connection()) {
            connection.setAutoCommit(false);
            enqueue(connection, Full.JOB);
            Full.expect(service.job("full-1"));
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void uniqueKeysAreRefusedKeptAndReplaced(String url) throws SQLException {
        NewJob remind = NewJob.of("log", "x".repeat(5000)).external().uniqueKey("remind");
        try (Connection connection = connect(url)) {
            enqueue(connection, remind.id("first"));
            NewJob second = remind.id("second");
            SQLException taken =
                    assertThrows(SQLException.class, () -> enqueue(connection, second));
            assertTrue(
                    url.equals("sqlite") || taken.getSQLState().startsWith("23"),
                    taken::getSQLState);
            assertEquals("first", enqueue(connection, second.onDuplicate(OnDuplicate.KEEP)));
            NewJob replacing =
                    second.onDuplicate(OnDuplicate.REPLACE).uniqueFor(Duration.ofHours(1));
            assertEquals("second", enqueue(connection, replacing));
            assertEquals("second", text(connection, "SELECT ID_ FROM ACT_RU_EXTERNAL_JOB"));
            String query =
                    "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = 'remind' AND UNTIL_ IS NOT NULL";
            assertEquals("second", text(connection, query));
            assertEquals("1", text(connection, "SELECT COUNT(*) FROM ACT_GE_BYTEARRAY"));
            run(connection, "DELETE FROM ACT_RU_EXTERNAL_JOB");
            connection.commit();
            assertThrows(KeyHeldException.class, () -> enqueue(connection, replacing.id("third")));
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aKeyThatIsOverIsFree(String url) throws SQLException {
        NewJob remind = NewJob.of("log").uniqueKey("remind").uniqueFor(Duration.ofHours(1));
        try (Connection connection = connect(url)) {
            enqueue(connection, remind.id("first"));
            run(connection, "UPDATE JS_UNIQUE SET UNTIL_ = '2020-01-01 00:00:00.000'");
            connection.commit();
            assertEquals(
                    "second",
                    enqueue(connection, remind.id("second").onDuplicate(OnDuplicate.KEEP)));
        }
    }

    @Test
    void whatCannotBeMeantSoIsRefused() throws SQLException {
        record Ring(Object self) {}

        NewJob job = NewJob.of("x");
        try (Connection connection = connect("sqlite")) {
            for (NewJob wrong :
                    List.of(
                            job.due("tomorrow 09:00"),
                            job.repeat("R/PT1H"),
                            job.delay(Duration.ofHours(1)).repeat("R/PT1H").uniqueKey("k"),
                            job.onDuplicate(OnDuplicate.KEEP),
                            job.uniqueFor(Duration.ofHours(1)),
                            NewJob.of("x", new Ring(new Object())))) {
                assertThrows(
                        IllegalArgumentException.class, () -> JdbcJobs.enqueue(connection, wrong));
            }
            assertNull(text(connection, "SELECT ID_ FROM ACT_RU_JOB"));
            connection.setAutoCommit(true);
            assertThrows(IllegalStateException.class, () -> JdbcJobs.enqueue(connection, job));
            assertFalse(connection.isClosed());
        }
    }
}
