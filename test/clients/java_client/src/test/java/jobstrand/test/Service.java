package jobstrand.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

import jobstrand.JobstrandClient;
import jobstrand.NewJob;
import jobstrand.NotFoundException;

import org.junit.jupiter.api.Assertions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** {@code jobstrand serve} on a SQLite database. */
final class Service implements AutoCloseable {
    /** Beyond what anything takes that does not hang; nothing is measured. */
    static final int PATIENCE_S = 60;

    private static final Pattern PORT = Pattern.compile("\\bport=(\\d+)");

    private final Path folder;
    private Process process;
    private String address;
    private JobstrandClient client;

    Service(Path folder) throws Exception {
        this.folder = folder;
        run("schema", "create");
        serve("0");
    }

    String address() {
        return address;
    }

    JobstrandClient client() {
        return client;
    }

    /** Carries a verb of the command line out. */
    void run(String... arguments) throws Exception {
        Process verb = command(arguments).redirectErrorStream(true).start();
        String said = new String(verb.getInputStream().readAllBytes());
        Assertions.assertEquals(0, verb.waitFor(), said);
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Starts anew where it was. */
    void again() throws Exception {
        serve(address.substring(address.lastIndexOf(':') + 1));
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }

    List<String> enqueue(NewJob... jobs) {
        return client().enqueueAll(List.of(jobs));
    }

    List<String> enqueueMany(int count, IntFunction<NewJob> job) {
        return client().enqueueAll(IntStream.range(0, count).mapToObj(job).toList());
    }

    int place(String name) {
        return client().get("/api/v1/stats").path("places").path(name).asInt();
    }

    int locked(String name) {
        return client().get("/api/v1/stats").path("locked").path(name).asInt();
    }

    /** What the service says of a job; a missing node: there is none any more. */
    JsonNode job(String id) {
        try {
            return client().get("/api/v1/jobs/" + id);
        } catch (NotFoundException none) {
            return MissingNode.getInstance();
        }
    }

    /** Of its database, for an app of its own. */
    Connection connection() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:sqlite:" + folder.resolve("jobs.db") + "?busy_timeout=60000");
    }

    /** The stack of a job's last failure. */
    String details(String id) throws SQLException {
        String query =
                "SELECT b.BYTES_ FROM ACT_GE_BYTEARRAY b JOIN ACT_RU_DEADLETTER_JOB j"
                        + " ON b.ID_ = j.EXCEPTION_STACK_ID_ WHERE j.ID_ = ?";
        try (Connection connection = connection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, id);
            try (ResultSet found = statement.executeQuery()) {
                return found.next() ? new String(found.getBytes(1)) : "";
            }
        }
    }

    static void eventually(String what, BooleanSupplier isSo) throws InterruptedException {
        long giveUp = System.nanoTime() + PATIENCE_S * 1_000_000_000L;
        while (!isSo.getAsBoolean()) {
            Assertions.assertTrue(System.nanoTime() < giveUp, () -> "not within its time: " + what);
            Thread.sleep(20);
        }
    }

    private ProcessBuilder command(String... arguments) {
        List<String> words = new ArrayList<>(List.of(System.getProperty("jobstrand.binary")));
        words.addAll(List.of(arguments));
        ProcessBuilder command = new ProcessBuilder(words).directory(folder.toFile());
        command.environment().put("JOBSTRAND_DB", "sqlite:jobs.db");
        return command;
    }

    private void serve(String port) throws Exception {
        Path log = folder.resolve("service.log");
        process =
                command("serve", "--http", "127.0.0.1:" + port).redirectError(log.toFile()).start();
        eventually("the service is ready", () -> contentOf(log).contains(" clock_skew_ms="));
        Matcher found = PORT.matcher(contentOf(log));
        Assertions.assertTrue(found.find());
        address = "http://127.0.0.1:" + found.group(1);
        client = JobstrandClient.of(address);
    }

    private static String contentOf(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
