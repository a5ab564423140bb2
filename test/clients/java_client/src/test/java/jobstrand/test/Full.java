package jobstrand.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;

import jobstrand.NewJob;
import jobstrand.OnDuplicate;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** A job that has each field. */
final class Full {
    private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    static final NewJob JOB =
            NewJob.of("mail", Map.of("to", "<a@b>"))
                    .id("full-1")
                    .delay(Duration.ofHours(1))
                    .retries(4)
                    .retryCycle("R5/PT1M")
                    .priority(7)
                    .external()
                    .exclusive(false)
                    .processInstanceId("order-1")
                    .processDefinitionId("orders:1")
                    .category("shop")
                    .tenantId("acme")
                    .correlationId("c-1")
                    .traceParent(TRACE)
                    .uniqueKey("mail-1")
                    .uniqueFor(Duration.ofHours(2))
                    .onDuplicate(OnDuplicate.KEEP);

    private static final Map<String, String> TOLD =
            Map.ofEntries(
                    Map.entry("handlerType", "mail"),
                    Map.entry("payload", "{\"to\":\"<a@b>\"}"),
                    Map.entry("place", "timer"),
                    Map.entry("retries", "4"),
                    Map.entry("retryCycle", "R5/PT1M"),
                    Map.entry("priority", "7"),
                    Map.entry("exclusive", "false"),
                    Map.entry("processInstanceId", "order-1"),
                    Map.entry("processDefinitionId", "orders:1"),
                    Map.entry("category", "shop"),
                    Map.entry("tenantId", "acme"),
                    Map.entry("correlationId", "c-1"),
                    Map.entry("traceparent", TRACE),
                    Map.entry("uniqueKey", "mail-1"));

    private Full() {}

    /** Compares what the service says with what was enqueued. */
    static void expect(JsonNode job) {
        TOLD.forEach(
                (name, wanted) -> {
                    JsonNode is = job.path(name);
                    assertEquals(wanted, is.isTextual() ? is.asText() : is.toString(), name);
                });
        Duration left =
                Duration.between(Instant.now(), Instant.parse(job.path("dueDate").asText()));
        assertTrue(left.toMinutes() >= 50 && left.toMinutes() <= 60, left::toString);
    }
}
