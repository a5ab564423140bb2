package jobstrand.test;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import jobstrand.BusinessErrorException;
import jobstrand.HandlerOptions;
import jobstrand.JdbcJobs;
import jobstrand.Job;
import jobstrand.JobFailedException;
import jobstrand.JobstrandClient;
import jobstrand.NewJob;
import jobstrand.OnDuplicate;
import jobstrand.Worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Does with the Java package what behaviours.py tells it: {@code java jobstrand.test.Adapter ORIGIN
 * DATABASE}.
 */
public final class Adapter {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long TICK_MS = 10;

    /** Of the package, which is collected when nobody has it. */
    private static final Logger LOGGER = Logger.getLogger("jobstrand");

    private final JobstrandClient client;
    private final String url;
    private Worker worker;
    private Thread closing;

    private Adapter(String origin, String url) {
        client = JobstrandClient.of(origin);
        this.url = url;
    }

    public static void main(String[] arguments) throws Exception {
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(new Lines());
        Adapter adapter = new Adapter(arguments[0], arguments[1]);
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode told = JSON.readTree(line);
            if (told.has("enqueue")) {
                adapter.enqueue(told.get("enqueue"), told.get("by").asText());
            } else if (told.has("work")) {
                adapter.work(told.get("work"));
            } else {
                adapter.stop(told.get("stop").asText());
            }
        }
        System.exit(0);
    }

    private static synchronized void say(Map<String, ?> what) {
        try {
            byte[] line = JSON.writeValueAsBytes(what);
            System.out.write(line, 0, line.length);
            System.out.write('\n');
            System.out.flush();
        } catch (JsonProcessingException error) {
            throw new IllegalStateException(error);
        }
    }

    private void enqueue(JsonNode told, String by) {
        try {
            NewJob job = newJob(told);
            say(Map.of("id", by.equals("http") ? client.enqueue(job).id() : add(job, by)));
        } catch (RuntimeException | SQLException error) {
            say(Map.of("refused", error.toString()));
        }
    }

    private String add(NewJob job, String by) throws SQLException {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            String id = JdbcJobs.enqueue(connection, job);
            if (by.equals("sql")) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return id;
        }
    }

    private Connection connect() throws SQLException {
        if (url.startsWith("sqlite:")) {
            return DriverManager.getConnection("jdbc:" + url + "?busy_timeout=60000");
        }
        URI there = URI.create(url);
        String[] account = there.getUserInfo().split(":", 2);
        String driver = there.getScheme().equals("postgres") ? "postgresql" : "mariadb";
        String place = there.getHost() + ":" + there.getPort() + there.getPath();
        return DriverManager.getConnection(
                "jdbc:" + driver + "://" + place, account[0], account[1]);
    }

    private static NewJob newJob(JsonNode told) {
        NewJob job = NewJob.of(told.get("handlerType").asText(), told.get("payload"));
        for (Map.Entry<String, JsonNode> field : told.properties()) {
            job = with(job, field.getKey(), field.getValue());
        }
        return job;
    }

    private static NewJob with(NewJob job, String name, JsonNode value) {
        return switch (name) {
            case "handlerType", "payload" -> job;
            case "id" -> job.id(value.asText());
            case "due" -> job.due(OffsetDateTime.parse(value.asText()).toInstant());
            case "delay" -> job.delay(seconds(value));
            case "words" -> job.due(value.asText());
            case "repeat" -> job.repeat(value.asText());
            case "retries" -> job.retries(value.asInt());
            case "retryCycle" -> job.retryCycle(value.asText());
            case "priority" -> job.priority(value.asInt());
            case "external" -> value.asBoolean() ? job.external() : job;
            case "exclusive" -> job.exclusive(value.asBoolean());
            case "processInstanceId" -> job.processInstanceId(value.asText());
            case "processDefinitionId" -> job.processDefinitionId(value.asText());
            case "category" -> job.category(value.asText());
            case "tenantId" -> job.tenantId(value.asText());
            case "correlationId" -> job.correlationId(value.asText());
            case "traceparent" -> job.traceParent(value.asText());
            case "uniqueKey" -> job.uniqueKey(value.asText());
            case "uniqueFor" -> job.uniqueFor(seconds(value));
            case "onDuplicate" ->
                    job.onDuplicate(OnDuplicate.valueOf(value.asText().toUpperCase(Locale.ROOT)));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static Duration seconds(JsonNode value) {
        return Duration.ofMillis(Math.round(value.asDouble() * 1000));
    }

    private void work(JsonNode told) {
        Worker.Builder builder =
                Worker.builder(client)
                        .concurrency(told.get("places").asInt())
                        .lock(seconds(told.get("lock")))
                        .pollTimeout(seconds(told.get("wait")));
        if (told.has("tenant")) {
            builder.tenantId(told.get("tenant").asText());
        }
        for (Map.Entry<String, JsonNode> handler : told.get("handlers").properties()) {
            HandlerOptions options =
                    HandlerOptions.DEFAULT.weight(
                            told.get("weights").path(handler.getKey()).asInt(1));
            if (told.has("timeout")) {
                options = options.timeout(seconds(told.get("timeout")));
            }
            builder.handle(handler.getKey(), options, job -> handle(job, handler.getValue()));
        }
        worker = builder.build();
        worker.start();
        say(Map.of("working", true));
    }

    private void stop(String part) throws InterruptedException {
        if (closing == null) {
            closing = new Thread(worker::close);
            closing.start();
            while (closing.getState() != Thread.State.WAITING
                    && closing.getState() != Thread.State.TERMINATED) {
                Thread.sleep(1);
            }
        }
        if (part.equals("end")) {
            closing.join();
            closing = null;
        }
        say(Map.of("stopped", part));
    }

    private static void handle(Job job, JsonNode steps) throws Exception {
        say(Map.of("began", job.id(), "topic", job.handlerType(), "attempt", job.attempts() + 1));
        try {
            for (JsonNode step : steps) {
                carryOut(job, step);
            }
        } finally {
            say(Map.of("ended", job.id()));
        }
    }

    private static void carryOut(Job job, JsonNode step) throws Exception {
        Map.Entry<String, JsonNode> told = step.properties().iterator().next();
        JsonNode value = told.getValue();
        switch (told.getKey()) {
            case "first" -> first(job, value);
            case "give" -> job.handOn(given(job, value));
            case "progress" -> job.progress(value.get(0).asDouble(), value.get(1).asText());
            case "log" -> job.log(value.asText());
            case "odd" -> job.handOn(odd(value.asInt()));
            case "raise" -> throw new OutOfInk(value.asText(), step.path("cause").asText(null));
            case "fail" -> throw failure(value);
            case "business" ->
                    throw new BusinessErrorException(
                            value.get("code").asText(),
                            value.get("message").asText(),
                            object(value.get("variables")));
            case "until" -> until(Path.of(value.asText()));
            case "hear" -> hear(job);
            default -> throw new IllegalArgumentException(told.getKey());
        }
    }

    /** Only in the first attempt. */
    private static void first(Job job, JsonNode steps) throws Exception {
        if (job.attempts() == 0) {
            for (JsonNode step : steps) {
                carryOut(job, step);
            }
        }
    }

    private static Map<String, ?> given(Job job, JsonNode value) {
        return value.isTextual() ? Map.of("given", job.payload()) : object(value);
    }

    private static Map<String, ?> object(JsonNode value) {
        return JSON.convertValue(value, new TypeReference<Map<String, Object>>() {});
    }

    /** A result that JSON cannot say. */
    private static Map<String, ?> odd(int number) {
        return List.of(Map.of("thread", new Object()), Map.of("half", new Broken()))
                .get(number % 2);
    }

    private static JobFailedException failure(JsonNode told) {
        JobFailedException failure = new JobFailedException(told.get("message").asText());
        if (told.has("retryAfter")) {
            failure.retryAfter(seconds(told.get("retryAfter")));
        }
        return told.has("retries") ? failure.retries(told.get("retries").asInt()) : failure;
    }

    /** The file is there. */
    private static void until(Path path) throws InterruptedException {
        while (Files.notExists(path)) {
            Thread.sleep(TICK_MS);
        }
    }

    /** That it is to end. */
    private static void hear(Job job) {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException told) {
            say(Map.of("heard", job.id()));
        }
    }

    /** Of the app. */
    private static final class OutOfInk extends Exception {
        private static final long serialVersionUID = 1;

        OutOfInk(String message, String cause) {
            super(message, cause == null ? null : new IOException(cause));
        }
    }

    /** Even reading it is a bug. */
    public static final class Broken {
        public String getText() {
            throw new IllegalStateException("no text");
        }
    }

    /** What the package logs. */
    private static final class Lines extends Handler {
        Lines() {
            setFormatter(new SimpleFormatter());
        }

        @Override
        public void publish(LogRecord told) {
            say(Map.of("log", getFormatter().formatMessage(told)));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
