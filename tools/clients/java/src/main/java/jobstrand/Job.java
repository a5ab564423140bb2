package jobstrand;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A job that a worker holds. */
public final class Job {
    private final ObjectMapper mapper;

    private String id;
    private String handlerType;
    private long revision;
    private JsonNode payload = NullNode.getInstance();
    private int attempts;
    private int retries;
    private int priority;
    private String processInstanceId;
    private String processDefinitionId;
    private String executionId;
    private String elementId;
    private String category;
    private String tenantId;
    private String correlationId;
    private String traceparent;
    private String uniqueKey;
    private String createTime;
    private String exceptionMessage;

    private final News news = new News();

    private volatile Cancellation cancellation;
    private volatile String variables;

    /** The thread of its handler; only InHand uses it, under its lock. */
    private Thread thread;

    private boolean isTold;

    private Job(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    /** Reads a job as the service tells it, of which the parser stands at the beginning. */
    static Job from(JsonParser told, ObjectMapper mapper) throws IOException {
        Job job = new Job(mapper);
        while (told.nextToken() == JsonToken.FIELD_NAME) {
            String name = told.currentName();
            told.nextToken();
            job.take(name, told);
            told.skipChildren();
        }
        return job;
    }

    private void take(String name, JsonParser value) throws IOException {
        switch (name) {
            case "id" -> id = value.getValueAsString();
            case "handlerType" -> handlerType = value.getValueAsString();
            case "revision" -> revision = value.getValueAsLong();
            case "payload" -> payload = Json.PROTOCOL.readTree(value);
            case "attempts" -> attempts = value.getValueAsInt();
            case "retries" -> retries = value.getValueAsInt();
            case "priority" -> priority = value.getValueAsInt();
            case "processInstanceId" -> processInstanceId = value.getValueAsString();
            case "processDefinitionId" -> processDefinitionId = value.getValueAsString();
            case "executionId" -> executionId = value.getValueAsString();
            case "elementId" -> elementId = value.getValueAsString();
            case "category" -> category = value.getValueAsString();
            case "tenantId" -> tenantId = value.getValueAsString();
            case "correlationId" -> correlationId = value.getValueAsString();
            case "traceparent" -> traceparent = value.getValueAsString();
            case "uniqueKey" -> uniqueKey = value.getValueAsString();
            case "createTime" -> createTime = value.getValueAsString();
            case "exceptionMessage" -> exceptionMessage = value.getValueAsString();
            default -> {}
        }
    }

    public String id() {
        return id;
    }

    public String handlerType() {
        return handlerType;
    }

    /** The payload in JSON; a null node, if it has none. */
    public JsonNode payload() {
        return payload;
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
        return attempts;
    }

    /** How many attempts are left, this one included. */
    public int retries() {
        return retries;
    }

    public int priority() {
        return priority;
    }

    public Optional<String> processInstanceId() {
        return Optional.ofNullable(processInstanceId);
    }

    public Optional<String> processDefinitionId() {
        return Optional.ofNullable(processDefinitionId);
    }

    public Optional<String> executionId() {
        return Optional.ofNullable(executionId);
    }

    public Optional<String> elementId() {
        return Optional.ofNullable(elementId);
    }

    public Optional<String> category() {
        return Optional.ofNullable(category);
    }

    public Optional<String> tenantId() {
        return Optional.ofNullable(tenantId);
    }

    public Optional<String> correlationId() {
        return Optional.of(correlationId == null ? id : correlationId);
    }

    /** The trace that it belongs to, in the form of W3C Trace Context. */
    public Optional<String> traceParent() {
        return Optional.ofNullable(traceparent);
    }

    public Optional<String> uniqueKey() {
        return Optional.ofNullable(uniqueKey);
    }

    public Optional<Instant> createTime() {
        return Optional.ofNullable(createTime).map(Instant::parse);
    }

    /** The message of the attempt before, if that failed. */
    public Optional<String> lastFailure() {
        return Optional.ofNullable(exceptionMessage);
    }

    /**
     * Has these variables handed on to the app when the handler returns.
     *
     * @throws IllegalArgumentException JSON cannot say them
     */
    public void handOn(Map<String, ?> variables) {
        this.variables = Json.textOf(mapper, variables, "the variables");
    }

    /**
     * Says how much of the work is done, from 0 to 1, and what is being done. Whoever looks at the
     * job sees it within about a second; each call replaces what the last one said.
     */
    public void progress(double part, String note) {
        news.progress(part, note);
    }

    /** Says how much of the work is done, from 0 to 1. */
    public void progress(double part) {
        news.progress(part, "");
    }

    /** Adds lines to what the run has put out: the last ones are seen there too. */
    public void log(String text) {
        news.log(text);
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

    News news() {
        return news;
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

    private IllegalArgumentException unreadable(JsonProcessingException error) {
        return new IllegalArgumentException(
                "the payload is of another type: " + error.getOriginalMessage(), error);
    }
}
