package jobstrand;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A job to be enqueued. Only the handler type is needed; what is not said is as the service has it.
 * Jobs are immutable: each method returns another one.
 *
 * <pre>{@code
 * NewJob.of("mail", order)
 *         .delay(Duration.ofHours(1))
 *         .uniqueKey("remind-17")
 *         .onDuplicate(OnDuplicate.REPLACE)
 * }</pre>
 */
public final class NewJob {
    String handlerType;
    Object payload;
    String id;
    Instant due;
    Duration delay;
    String dueText;
    String repeat;
    Integer retries;
    String retryCycle;
    Integer priority;
    boolean isExternal;
    boolean isExclusive = true;
    String processInstanceId;
    String processDefinitionId;
    String category;
    String tenantId;
    String correlationId;
    String traceParent;
    String uniqueKey;
    Duration uniqueFor;
    OnDuplicate onDuplicate;

    private NewJob(String handlerType, Object payload) {
        if (handlerType.isEmpty()) {
            throw new IllegalArgumentException("a job needs a handler type");
        }
        this.handlerType = handlerType;
        this.payload = payload;
    }

    private NewJob(NewJob other) {
        handlerType = other.handlerType;
        payload = other.payload;
        id = other.id;
        due = other.due;
        delay = other.delay;
        dueText = other.dueText;
        repeat = other.repeat;
        retries = other.retries;
        retryCycle = other.retryCycle;
        priority = other.priority;
        isExternal = other.isExternal;
        isExclusive = other.isExclusive;
        processInstanceId = other.processInstanceId;
        processDefinitionId = other.processDefinitionId;
        category = other.category;
        tenantId = other.tenantId;
        correlationId = other.correlationId;
        traceParent = other.traceParent;
        uniqueKey = other.uniqueKey;
        uniqueFor = other.uniqueFor;
        onDuplicate = other.onDuplicate;
    }

    /** A job for the handler of a type. */
    public static NewJob of(String handlerType) {
        return new NewJob(handlerType, null);
    }

    /**
     * A job for the handler of a type, with a payload: whatever Jackson can write, such as a record
     * or a map.
     */
    public static NewJob of(String handlerType, Object payload) {
        return new NewJob(handlerType, payload);
    }

    /** For workers such as those of this package. */
    public NewJob external() {
        return with(job -> job.isExternal = true);
    }

    /** An id of the app's own, up to 64 characters; one that is taken is refused. */
    public NewJob id(String id) {
        return with(job -> job.id = Objects.requireNonNull(id));
    }

    /** When it runs at the earliest. */
    public NewJob due(Instant due) {
        return withDue(Objects.requireNonNull(due), null, null);
    }

    /** When it runs at the earliest, from now. */
    public NewJob delay(Duration delay) {
        return withDue(null, Json.notNegative(delay, "delay"), null);
    }

    /** When it runs at the earliest, in words such as "tomorrow 09:00"; only over HTTP. */
    public NewJob due(String words) {
        return withDue(null, null, Objects.requireNonNull(words));
    }

    /** That it repeats, such as "R/PT1H"; the first turn is when it is due. */
    public NewJob repeat(String repeat) {
        return with(job -> job.repeat = Objects.requireNonNull(repeat));
    }

    /** How many attempts there are, the first one included. */
    public NewJob retries(int retries) {
        return with(job -> job.retries = retries);
    }

    /** How many attempts there are and how long it waits between them, such as "R5/PT1M". */
    public NewJob retryCycle(String retryCycle) {
        return with(job -> job.retryCycle = Objects.requireNonNull(retryCycle));
    }

    /** Larger is more important; 0 if nothing is said. */
    public NewJob priority(int priority) {
        return with(job -> job.priority = priority);
    }

    /** The instance it belongs to, whose jobs run one at a time. */
    public NewJob processInstanceId(String processInstanceId) {
        return with(job -> job.processInstanceId = Objects.requireNonNull(processInstanceId));
    }

    /** False: it may run beside others of its process instance. */
    public NewJob exclusive(boolean isExclusive) {
        return with(job -> job.isExclusive = isExclusive);
    }

    /** The definition it belongs to. */
    public NewJob processDefinitionId(String processDefinitionId) {
        return with(job -> job.processDefinitionId = Objects.requireNonNull(processDefinitionId));
    }

    /** For filters and lists. */
    public NewJob category(String category) {
        return with(job -> job.category = Objects.requireNonNull(category));
    }

    /** The tenant it belongs to. */
    public NewJob tenantId(String tenantId) {
        return with(job -> job.tenantId = Objects.requireNonNull(tenantId));
    }

    /** A handle of the app's own that survives every move; its id if nothing is said. */
    public NewJob correlationId(String correlationId) {
        return with(job -> job.correlationId = Objects.requireNonNull(correlationId));
    }

    /** The trace it belongs to, in the form of W3C Trace Context. */
    public NewJob traceParent(String traceParent) {
        return with(job -> job.traceParent = Objects.requireNonNull(traceParent));
    }

    /** While a job with this key is open, no other is added. */
    public NewJob uniqueKey(String uniqueKey) {
        return with(job -> job.uniqueKey = Objects.requireNonNull(uniqueKey));
    }

    /** How long the unique key is held, whatever becomes of the job. */
    public NewJob uniqueFor(Duration uniqueFor) {
        return with(job -> job.uniqueFor = Json.positive(uniqueFor, "uniqueFor"));
    }

    /** What becomes of it when its unique key is held. */
    public NewJob onDuplicate(OnDuplicate onDuplicate) {
        return with(job -> job.onDuplicate = Objects.requireNonNull(onDuplicate));
    }

    @Override
    public String toString() {
        return "NewJob[" + handlerType + (id == null ? "]" : ", " + id + "]");
    }

    /** As the service reads it. */
    ObjectNode asRead(ObjectMapper mapper) {
        ObjectNode node = Json.PROTOCOL.createObjectNode().put("handlerType", handlerType);
        if (payload != null) {
            node.putRawValue("payload", new RawValue(Json.textOf(mapper, payload, "the payload")));
        }
        put(node, "id", id);
        put(node, "dueDate", dueDate());
        put(node, "repeat", repeat);
        if (retries != null) {
            node.put("retries", retries);
        }
        put(node, "retryCycle", retryCycle);
        if (priority != null) {
            node.put("priority", priority);
        }
        if (isExternal) {
            node.put("external", true);
        }
        if (!isExclusive) {
            node.put("exclusive", false);
        }
        put(node, "processInstanceId", processInstanceId);
        put(node, "processDefinitionId", processDefinitionId);
        put(node, "category", category);
        put(node, "tenantId", tenantId);
        put(node, "correlationId", correlationId);
        put(node, "traceparent", traceParent);
        put(node, "uniqueKey", uniqueKey);
        put(node, "uniqueFor", uniqueFor == null ? null : Json.text(uniqueFor));
        put(node, "onDuplicate", onDuplicate == null ? null : onDuplicate.text());
        return node;
    }

    private String dueDate() {
        if (due != null) {
            return due.truncatedTo(ChronoUnit.MILLIS).toString();
        }
        return delay != null ? Json.text(delay) : dueText;
    }

    private static void put(ObjectNode node, String name, String value) {
        if (value != null) {
            node.put(name, value);
        }
    }

    private NewJob withDue(Instant due, Duration delay, String dueText) {
        return with(
                job -> {
                    job.due = due;
                    job.delay = delay;
                    job.dueText = dueText;
                });
    }

    private NewJob with(Consumer<NewJob> change) {
        NewJob other = new NewJob(this);
        change.accept(other);
        return other;
    }
}
