package jobstrand;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A job that a worker holds. */
public final class Job {
    private final JsonNode said;
    private final ObjectMapper mapper;
    private final String id;
    private final String handlerType;
    private final long revision;

    private volatile Cancellation cancellation;
    private volatile String variables;

    /** The thread of its handler; only InHand uses it, under its lock. */
    private Thread thread;

    private boolean isTold;

    Job(JsonNode said, ObjectMapper mapper) {
        this.said = said;
        this.mapper = mapper;
        this.id = said.path("id").asText();
        this.handlerType = said.path("handlerType").asText();
        this.revision = said.path("revision").asLong();
    }

    public String id() {
        return id;
    }

    public String handlerType() {
        return handlerType;
    }

    /** The payload in JSON; a missing node, if it has none. */
    public JsonNode payload() {
        return said.path("payload");
    }

    /**
     * The payload as a value of a type, such as a record.
     *
     * @throws IllegalArgumentException Jackson cannot make one of it
     */
    public <T> T payload(Class<T> type) {
        try {
            return mapper.treeToValue(payload(), type);
        } catch (JsonProcessingException error) {
            throw unreadable(error);
        }
    }

    /** The payload as a value of a type that has parameters, such as a list of records. */
    public <T> T payload(TypeReference<T> type) {
        try {
            return mapper.treeToValue(payload(), mapper.constructType(type));
        } catch (JsonProcessingException error) {
            throw unreadable(error);
        }
    }

    /** How many attempts have failed: 0 at first. */
    public int attempts() {
        return said.path("attempts").asInt();
    }

    /** How many attempts are left, this one included. */
    public int retries() {
        return said.path("retries").asInt();
    }

    public int priority() {
        return said.path("priority").asInt();
    }

    public Optional<String> processInstanceId() {
        return text("processInstanceId");
    }

    public Optional<String> processDefinitionId() {
        return text("processDefinitionId");
    }

    public Optional<String> executionId() {
        return text("executionId");
    }

    public Optional<String> elementId() {
        return text("elementId");
    }

    public Optional<String> category() {
        return text("category");
    }

    public Optional<String> tenantId() {
        return text("tenantId");
    }

    public Optional<String> correlationId() {
        return text("correlationId");
    }

    /** The trace that it belongs to, in the form of W3C Trace Context. */
    public Optional<String> traceParent() {
        return text("traceparent");
    }

    public Optional<String> uniqueKey() {
        return text("uniqueKey");
    }

    public Optional<Instant> createTime() {
        return text("createTime").map(Instant::parse);
    }

    /** The message of the attempt before, if that failed. */
    public Optional<String> lastFailure() {
        return text("exceptionMessage");
    }

    /**
     * Has these variables handed on to the app when the handler returns.
     *
     * @throws IllegalArgumentException JSON cannot say them
     */
    public void handOn(Map<String, ?> variables) {
        this.variables = Json.textOf(mapper, variables, "the variables");
    }

    /** Why the handler is to end, if it is. Its thread has been interrupted then. */
    public Optional<Cancellation> cancellation() {
        return Optional.ofNullable(cancellation);
    }

    /** Whether the handler is to end. */
    public boolean isCancelled() {
        return cancellation != null;
    }

    @Override
    public String toString() {
        return "Job[" + handlerType + ", " + id + "]";
    }

    long revision() {
        return revision;
    }

    /** In JSON; null: there are none. */
    String variables() {
        return variables;
    }

    ObjectMapper mapper() {
        return mapper;
    }

    /** Whoever gets true says what became of the job. */
    synchronized boolean isFirstToTell() {
        boolean isFirst = !isTold;
        isTold = true;
        return isFirst;
    }

    /**
     * Called under the lock of InHand, as are the two below: no interrupt comes after the handler
     * has ended.
     */
    void begin(Thread handler) {
        thread = handler;
    }

    void end() {
        thread = null;
    }

    void cancel(Cancellation why) {
        if (cancellation != null) {
            return;
        }
        cancellation = why;
        if (thread != null) {
            thread.interrupt();
        }
    }

    private Optional<String> text(String name) {
        return Optional.ofNullable(said.path(name).asText(null));
    }

    private IllegalArgumentException unreadable(JsonProcessingException error) {
        return new IllegalArgumentException(
                "the payload is of another type: " + error.getOriginalMessage(), error);
    }
}
