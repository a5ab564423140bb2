package jobstrand;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A job that a worker holds. */
public final class Job {
    private final Said said;
    private final ObjectMapper mapper;

    private final News news = new News();

    private volatile Cancellation cancellation;
    private volatile String variables;

    /** The thread of its handler; only InHand uses it, under its lock. */
    private Thread thread;

    private boolean isTold;

    /** As the service tells it. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Said(
            String id,
            String handlerType,
            long revision,
            JsonNode payload,
            int attempts,
            int retries,
            int priority,
            String processInstanceId,
            String processDefinitionId,
            String executionId,
            String elementId,
            String category,
            String tenantId,
            String correlationId,
            String traceparent,
            String uniqueKey,
            String createTime,
            String exceptionMessage) {}

    Job(Said said, ObjectMapper mapper) {
        this.said = said;
        this.mapper = mapper;
    }

    public String id() {
        return said.id;
    }

    public String handlerType() {
        return said.handlerType;
    }

    /** The payload in JSON; a null node, if it has none. */
    public JsonNode payload() {
        return said.payload == null ? NullNode.getInstance() : said.payload;
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
        return said.attempts;
    }

    /** How many attempts are left, this one included. */
    public int retries() {
        return said.retries;
    }

    public int priority() {
        return said.priority;
    }

    public Optional<String> processInstanceId() {
        return Optional.ofNullable(said.processInstanceId);
    }

    public Optional<String> processDefinitionId() {
        return Optional.ofNullable(said.processDefinitionId);
    }

    public Optional<String> executionId() {
        return Optional.ofNullable(said.executionId);
    }

    public Optional<String> elementId() {
        return Optional.ofNullable(said.elementId);
    }

    public Optional<String> category() {
        return Optional.ofNullable(said.category);
    }

    public Optional<String> tenantId() {
        return Optional.ofNullable(said.tenantId);
    }

    public Optional<String> correlationId() {
        return Optional.ofNullable(said.correlationId);
    }

    /** The trace that it belongs to, in the form of W3C Trace Context. */
    public Optional<String> traceParent() {
        return Optional.ofNullable(said.traceparent);
    }

    public Optional<String> uniqueKey() {
        return Optional.ofNullable(said.uniqueKey);
    }

    public Optional<Instant> createTime() {
        return Optional.ofNullable(said.createTime).map(Instant::parse);
    }

    /** The message of the attempt before, if that failed. */
    public Optional<String> lastFailure() {
        return Optional.ofNullable(said.exceptionMessage);
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
        return "Job[" + said.handlerType + ", " + said.id + "]";
    }

    long revision() {
        return said.revision;
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
