package jobstrand;

import com.fasterxml.jackson.databind.ObjectMapper;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Objects;

/**
 * Adds jobs in the transaction of the app's own connection: to PostgreSQL, MySQL, MariaDB or
 * SQLite, which is where Jobstrand's tables are.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * insertOrder(connection, order);
 * JdbcJobs.enqueue(connection, NewJob.of("mail", order).external());
 * connection.commit();
 * }</pre>
 */
public final class JdbcJobs {
    /**
     * How many characters of a payload stand in the row of the job; a longer one has a row of its
     * own.
     */
    private static final int MOST_IN_ROW = 4000;

    private static final String BACK_TO_ZONE = "SET time_zone = @jobstrand_zone";

    private final Connection connection;
    private final Dialect dialect;
    private final NewJob job;
    private final String payload;
    private final String id;
    private final Instant now = Instant.now();

    private JdbcJobs(Connection connection, NewJob job, ObjectMapper mapper) throws SQLException {
        this.connection = connection;
        this.dialect = Dialect.of(connection);
        this.job = job;
        this.payload = job.payload == null ? null : Json.textOf(mapper, job.payload, "the payload");
        this.id = job.id == null ? Json.freshId() : job.id;
    }

    /**
     * Adds a job, which is there exactly if the app commits.
     *
     * @return its id; that of the job which has the unique key already, if that is kept
     * @throws SQLException the driver's own: above all that the id or the unique key is taken
     * @throws KeyHeldException a job that is to be replaced runs already
     * @throws IllegalArgumentException the job cannot be meant so, or needs the service: due dates
     *     in words do
     * @throws IllegalStateException the connection is in auto-commit mode, in which there is no
     *     transaction
     */
    public static String enqueue(Connection connection, NewJob job) throws SQLException {
        return enqueue(connection, job, Json.PAYLOADS);
    }

    /** Adds a job whose payload is written by the app's own mapper. */
    public static String enqueue(Connection connection, NewJob job, ObjectMapper mapper)
            throws SQLException {
        refuseWhatNeedsTheService(job);
        Objects.requireNonNull(mapper);
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection commits by itself, so there is no transaction:"
                            + " setAutoCommit(false)");
        }
        return new JdbcJobs(connection, job, mapper).add();
    }

    private static void refuseWhatNeedsTheService(NewJob job) {
        if (job.dueText != null) {
            throw new IllegalArgumentException(
                    "a due date in words needs the service: say an Instant or a delay");
        }
        if (job.repeat != null && job.due == null && job.delay == null) {
            throw new IllegalArgumentException(
                    "a job that repeats needs the due date of its first turn");
        }
        if (job.repeat != null && job.uniqueKey != null) {
            throw new IllegalArgumentException(
                    "a job that repeats has no unique key: its id is the key of its series");
        }
        if (job.uniqueKey == null && (job.uniqueFor != null || job.onDuplicate != null)) {
            throw new IllegalArgumentException("uniqueFor and onDuplicate go with uniqueKey");
        }
    }

    /** Leaves the app's session as it was. */
    private String add() throws SQLException {
        if (dialect != Dialect.MYSQL) {
            return addOrKeep();
        }
        // Times are given in UTC; the columns would take them for the session's.
        run("SET @jobstrand_zone = @@session.time_zone, time_zone = '+00:00'");
        String added;
        try {
            added = addOrKeep();
        } catch (SQLException | RuntimeException error) {
            try {
                run(BACK_TO_ZONE);
            } catch (SQLException another) {
                error.addSuppressed(another);
            }
            throw error;
        }
        run(BACK_TO_ZONE);
        return added;
    }

    private String addOrKeep() throws SQLException {
        if (job.uniqueKey != null) {
            String kept = new UniqueKey(connection, dialect, job, id, now).take();
            if (kept != null) {
                return kept;
            }
        }
        insert();
        if (dialect == Dialect.POSTGRESQL) {
            run("NOTIFY jobstrand");
        }
        return id;
    }

    private void insert() throws SQLException {
        Row row = new Row(dialect).add("ID_", id).add("HANDLER_TYPE_", job.handlerType);
        addPayload(row);
        Instant due = job.delay == null ? job.due : now.plus(job.delay);
        String table = job.isExternal ? "ACT_RU_EXTERNAL_JOB" : "ACT_RU_JOB";
        String type = job.isExternal ? "externalWorker" : null;
        if (due != null) {
            table = "ACT_RU_TIMER_JOB";
            type = job.isExternal ? type : "timer";
            row.addTime("DUEDATE_", due).add("REPEAT_", job.repeat);
        }
        row.add("TYPE_", type)
                .add("RETRIES_", job.retries)
                .add("PRIORITY_", job.priority)
                .add("EXCLUSIVE_", job.isExclusive ? null : Boolean.FALSE)
                .add("RETRY_CYCLE_", job.retryCycle)
                .add("PROCESS_INSTANCE_ID_", job.processInstanceId)
                .add("PROC_DEF_ID_", job.processDefinitionId)
                .add("CATEGORY_", job.category)
                .add("TENANT_ID_", job.tenantId)
                .add("CORRELATION_ID_", job.correlationId == null ? id : job.correlationId)
                .add("TRACE_PARENT_", job.traceParent)
                .add("UNIQUE_KEY_", job.uniqueKey)
                .insertInto(connection, table);
    }

    private void addPayload(Row row) throws SQLException {
        if (payload == null) {
            return;
        }
        if (payload.codePointCount(0, payload.length()) <= MOST_IN_ROW) {
            row.add("HANDLER_CFG_", payload);
            return;
        }
        String bytesId = Json.freshId();
        row.add("CUSTOM_VALUES_ID_", bytesId);
        new Row(dialect)
                .add("ID_", bytesId)
                .add("NAME_", "payload")
                .add("BYTES_", payload.getBytes(StandardCharsets.UTF_8))
                .insertInto(connection, "ACT_GE_BYTEARRAY");
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
