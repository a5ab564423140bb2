package jobstrand.test;

import static jobstrand.test.Service.eventually;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;

import jobstrand.BusinessErrorException;
import jobstrand.Cancellation;
import jobstrand.Handler;
import jobstrand.HandlerOptions;
import jobstrand.InvalidException;
import jobstrand.Job;
import jobstrand.JobFailedException;
import jobstrand.NewJob;
import jobstrand.Worker;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@Timeout(value = 5 * Service.PATIENCE_S, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WorkerTest {
    private static final NewJob MAIL = NewJob.of("mail").external();

    @TempDir Path folder;

    private Service service;
    private Log log;

    @BeforeEach
    void begin() throws Exception {
        service = new Service(folder);
        log = new Log();
    }

    @AfterEach
    void end() {
        log.close();
        service.close();
    }

    private static NewJob mail(Object payload) {
        return NewJob.of("mail", payload).external();
    }

    private Worker.Builder builder() {
        return Worker.builder(service.client()).pollTimeout(Duration.ofSeconds(1));
    }

    private static Worker started(Worker.Builder builder) {
        Worker worker = builder.build();
        worker.start();
        return worker;
    }

    private Worker working(Handler handler) {
        return started(builder().handle("mail", handler));
    }

    private void untilDone() throws InterruptedException {
        eventually("all jobs are done", () -> service.place("external") == 0);
    }

    private static void await(CountDownLatch latch, String what) throws InterruptedException {
        assertTrue(latch.await(Service.PATIENCE_S, TimeUnit.SECONDS), what);
    }

    record Order(int order) {}

    @Test
    void aHandlerThatReturnsHasDoneItsJob() throws Exception {
        service.enqueueMany(10, number -> mail(new Order(number)));
        AtomicInteger sum = new AtomicInteger();
        Worker.Builder builder = builder().name("worker-7");
        try (Worker worker =
                started(
                        builder.handle(
                                "mail", job -> sum.addAndGet(job.payload(Order.class).order())))) {
            untilDone();
        }
        assertEquals(45, sum.get());
        assertEquals(0, service.place("dead") + service.place("timer"));
        assertEquals(
                1, log.count("worker worker-7 starts: serves mail at 8 places"), log::toString);
    }

    @Test
    void aJobTellsAllThatItHas() throws Exception {
        service.enqueue(
                mail(List.of(1, 2))
                        .id("full")
                        .priority(7)
                        .retries(4)
                        .tenantId("acme")
                        .correlationId("c-1")
                        .category("shop")
                        .processInstanceId("order-1")
                        .uniqueKey("k"));
        BlockingQueue<Job> got = new LinkedBlockingQueue<>();
        try (Worker worker = working(got::add)) {
            Job job = got.take();
            assertEquals(List.of(1, 2), job.payload(new TypeReference<List<Integer>>() {}));
            assertEquals(
                    List.of("full", "mail", 7, 4, 0),
                    List.of(
                            job.id(),
                            job.handlerType(),
                            job.priority(),
                            job.retries(),
                            job.attempts()));
            assertEquals(
                    List.of("acme", "c-1", "shop", "order-1", "k"),
                    List.of(
                            job.tenantId().get(),
                            job.correlationId().get(),
                            job.category().get(),
                            job.processInstanceId().get(),
                            job.uniqueKey().get()));
            assertEquals(Optional.empty(), job.lastFailure());
            assertTrue(job.createTime().get().isAfter(Instant.now().minusSeconds(3600)));
        }
    }

    @Test
    void aJobThatBelongsToNoOtherIsFoundByItsId() throws Exception {
        String id = service.enqueue(MAIL).get(0);
        BlockingQueue<Job> got = new LinkedBlockingQueue<>();
        try (Worker worker = working(got::add)) {
            assertEquals(Optional.of(id), got.take().correlationId());
        }
    }

    @Test
    void aBusinessErrorIsHandedOn() throws Exception {
        String id = service.enqueue(MAIL).get(0);
        Handler handler =
                job -> {
                    throw new IllegalStateException(
                            new BusinessErrorException(
                                    "SOLD_OUT", "nothing is left", Map.of("n", 3)));
                };
        try (Worker worker = working(handler)) {
            eventually(
                    "it is the app's",
                    () ->
                            service.job(id)
                                    .path("handlerType")
                                    .asText()
                                    .equals("external-worker-complete"));
        }
        String payload = service.job(id).path("payload").toString();
        assertTrue(
                payload.contains("\"errorCode\":\"SOLD_OUT\"") && payload.contains("\"n\":3"),
                payload);
    }

    private static class Mute extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void aFailureHasItsClassItsMessageAndItsStackWithCauses() throws Exception {
        Map<String, Throwable> failures =
                Map.of(
                        "plain", new IllegalStateException("no such address"),
                        "wrapped",
                                new UncheckedIOException(
                                        "letter 7", new NoSuchFileException("/letter")),
                        "error", new StackOverflowError(),
                        "mute", new Mute());
        Map<String, String> messages =
                Map.of(
                        "plain", "java.lang.IllegalStateException: no such address",
                        "wrapped", "java.io.UncheckedIOException: letter 7",
                        "error", "java.lang.StackOverflowError",
                        "mute", "jobstrand.test.WorkerTest$Mute");
        Map<String, String> ids = new HashMap<>();
        for (String name : failures.keySet()) {
            ids.put(name, service.enqueue(mail(name).retries(1)).get(0));
        }
        try (Worker worker = working(job -> raise(failures.get(job.payload(String.class))))) {
            eventually("all are dead letters", () -> service.place("dead") == failures.size());
        }
        for (Map.Entry<String, String> one : ids.entrySet()) {
            String message = service.job(one.getValue()).path("exceptionMessage").asText();
            assertEquals(messages.get(one.getKey()), message);
        }
        String details = service.details(ids.get("wrapped"));
        assertTrue(
                details.contains("Caused by: java.nio.file.NoSuchFileException: /letter"), details);
        assertTrue(details.contains("at jobstrand.test.WorkerTest."), details);
    }

    private static void raise(Throwable failure) throws Exception {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (Exception) failure;
    }

    @Test
    void aFailureSaysHowItGoesOn() throws Exception {
        List<String> ids = service.enqueueMany(2, WorkerTest::mail);
        Handler handler =
                job -> {
                    if (job.payload(int.class) == 0) {
                        throw new JobFailedException("no such address")
                                .retries(0)
                                .details("street 7");
                    }
                    JobFailedException later =
                            new JobFailedException("full", new IOException("disk"));
                    throw new IllegalStateException(
                            "post", later.retryAfter(Duration.ofHours(1)).retries(7));
                };
        try (Worker worker = working(handler)) {
            eventually(
                    "both have failed",
                    () -> service.place("dead") == 1 && service.place("timer") == 1);
        }
        assertEquals("no such address", service.job(ids.get(0)).path("exceptionMessage").asText());
        assertEquals("street 7", service.details(ids.get(0)));
        JsonNode waiting = service.job(ids.get(1));
        assertEquals(
                "java.lang.IllegalStateException: post", waiting.path("exceptionMessage").asText());
        assertEquals(7, waiting.path("retries").asInt());
        assertTrue(
                Instant.parse(waiting.path("dueDate").asText())
                        .isAfter(Instant.now().plusSeconds(1800)));
    }

    @Test
    void aHandlerHearsThatItsJobWasCancelled() throws Exception {
        String id = service.enqueue(MAIL).get(0);
        CountDownLatch begun = new CountDownLatch(1);
        BlockingQueue<Optional<Cancellation>> heard = new LinkedBlockingQueue<>();
        Handler handler =
                job -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        heard.add(job.cancellation());
                    }
                };
        try (Worker worker = working(handler)) {
            await(begun, "the handler begins");
            service.run("job", "cancel", id, "--reason", "the wrong file");
            assertEquals(
                    Optional.of(Cancellation.LOST),
                    heard.poll(Service.PATIENCE_S, TimeUnit.SECONDS));
        }
        assertEquals(1, log.count("the lock of job " + id + " is lost"), log::toString);
    }

    @Test
    void aHandlerWhoseTimeIsOverHasFailedAndHearsOfIt() throws Exception {
        String id = service.enqueue(MAIL.retries(1)).get(0);
        CountDownLatch ends = new CountDownLatch(1);
        BlockingQueue<Optional<Cancellation>> heard = new LinkedBlockingQueue<>();
        Handler handler =
                job -> {
                    assertThrows(InterruptedException.class, () -> new CountDownLatch(1).await());
                    heard.add(job.cancellation());
                    ends.await();
                };
        HandlerOptions options = HandlerOptions.DEFAULT.timeout(Duration.ofMillis(100));
        try (Worker worker = started(builder().handle("mail", options, handler))) {
            assertEquals(
                    Optional.of(Cancellation.TIME_LIMIT),
                    heard.poll(Service.PATIENCE_S, TimeUnit.SECONDS));
            eventually("it has failed while the handler goes on", () -> service.place("dead") == 1);
            ends.countDown();
        }
        String message = service.job(id).path("exceptionMessage").asText();
        assertEquals(
                "java.util.concurrent.TimeoutException: the handler of mail did not end within"
                        + " PT0.1S",
                message);
        assertEquals(1, log.count("has ended after its time"), log::toString);
    }

    @Test
    void anInterruptDoesNotMeanTheNextJob() throws Exception {
        service.enqueueMany(3, WorkerTest::mail);
        List<Boolean> interrupted = Collections.synchronizedList(new ArrayList<>());
        Handler handler =
                job -> {
                    interrupted.add(Thread.currentThread().isInterrupted());
                    Thread.currentThread().interrupt();
                };
        try (Worker worker = started(builder().concurrency(1).handle("mail", handler))) {
            untilDone();
        }
        assertEquals(List.of(false, false, false), interrupted);
    }

    @Test
    void shortJobsDoNotWaitForLongOnes() throws Exception {
        service.enqueueMany(3, number -> mail("long"));
        CountDownLatch ends = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(3);
        CountDownLatch shorts = new CountDownLatch(1000);
        Handler handler =
                job -> {
                    if (job.payload().isNull()) {
                        shorts.countDown();
                        return;
                    }
                    begun.countDown();
                    ends.await();
                };
        try (Worker worker = started(builder().concurrency(4).handle("mail", handler))) {
            await(begun, "three places are taken");
            service.enqueueMany(1000, number -> MAIL);
            await(shorts, "the short jobs run at the fourth");
            eventually(
                    "the service knows of them, and the long ones run",
                    () -> service.place("external") == 3);
            ends.countDown();
            untilDone();
        }
    }

    @Test
    @Tag("slow")
    void whatWillNotStartSoonIsGivenBack() throws Exception {
        CountDownLatch ends = new CountDownLatch(1);
        AtomicInteger got = new AtomicInteger();
        Handler handler =
                job -> {
                    if (got.incrementAndGet() > 500) {
                        ends.await();
                    }
                };
        try (Worker worker = started(builder().concurrency(1).handle("mail", handler))) {
            // Short ones first, so that many are fetched at once; then each takes long.
            service.enqueueMany(2000, number -> MAIL);
            eventually(
                    "one is held, and the others are free",
                    () -> got.get() == 501 && service.locked("external") == 1);
            ends.countDown();
            untilDone();
        }
    }

    @Test
    void placesAreSharedByWeight() throws Exception {
        service.enqueueMany(100, number -> NewJob.of(number < 50 ? "light" : "heavy").external());
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        Handler handler = job -> order.add(job.handlerType());
        Worker.Builder builder = builder().concurrency(4).prefetch(0).handle("light", handler);
        try (Worker worker =
                started(builder.handle("heavy", HandlerOptions.DEFAULT.weight(3), handler))) {
            untilDone();
        }
        long heavy = order.subList(0, 40).stream().filter("heavy"::equals).count();
        assertTrue(
                heavy >= 25 && heavy <= 35,
                () -> heavy + " of the first 40 are heavy, not about 30");
        assertEquals(1, log.count("serves light, heavy (weight 3)"), log::toString);
    }

    @Test
    @Tag("slow")
    void oneOddResultInAHundredTouchesNoOther() throws Exception {
        List<String> ids = service.enqueueMany(1000, number -> mail(number).retries(1));
        AtomicInteger runs = new AtomicInteger();
        Handler handler =
                job -> {
                    runs.incrementAndGet();
                    int number = job.payload(int.class);
                    if (number % 100 == 0) {
                        oddResult(job, number / 100);
                    }
                };
        try (Worker worker = started(builder().concurrency(4).handle("mail", handler))) {
            eventually(
                    "all have ended",
                    () -> service.place("external") == 0 && service.place("dead") == 10);
        }
        assertEquals(1000, runs.get());
        Map<Integer, String> wanted =
                Map.of(
                        0, "the variables cannot be told: ",
                        200, "at most 8388608 are told",
                        400, "which cannot be told as it is",
                        800, "the service refuses its result: ");
        wanted.forEach(
                (number, text) -> {
                    String message = service.job(ids.get(number)).path("exceptionMessage").asText();
                    assertTrue(message.contains(text), () -> number + ": " + message);
                });
    }

    private static void oddResult(Job job, int which) {
        Map<String, Object> ring = new HashMap<>();
        ring.put("ring", ring);
        Map<String, Object> large = Map.of("text", "x".repeat(9 << 20));
        switch (which) {
            case 0 -> job.handOn(Map.of("thread", new Object()));
            case 1 -> job.handOn(ring);
            case 2 -> job.handOn(large);
            case 3 -> throw new BusinessErrorException("X", null, ring);
            case 4 -> throw new BusinessErrorException("X", null, large);
            case 5 -> throw new IllegalStateException("half a letter \ud83d, and a \0");
            case 6 -> throw new Mute();
            case 7 -> throw new IllegalStateException("ä".repeat(1 << 20));
            case 8 ->
                    throw new JobFailedException("later")
                            .retryAfter(Duration.ofDays(10_000_000)); // Which the service refuses.
            default -> throw new AssertionError();
        }
    }

    @Test
    @Tag("slow")
    void aServiceThatIsKilledLosesNothing() throws Exception {
        int count = 3000;
        service.enqueueMany(count, number -> MAIL);
        Map<String, Integer> runs = new ConcurrentHashMap<>();
        CountDownLatch some = new CountDownLatch(count / 10);
        CountDownLatch killed = new CountDownLatch(1);
        Handler handler =
                job -> {
                    runs.merge(job.id(), 1, Integer::sum);
                    some.countDown();
                    if (some.getCount() == 0) {
                        killed.await();
                    }
                };
        try (Worker worker =
                started(builder().concurrency(4).prefetch(20).handle("mail", handler))) {
            await(some, "some are done");
            service.kill();
            killed.countDown();
            eventually(
                    "the worker has seen it",
                    () -> log.count("trying again until the service answers") == 1);
            service.again();
            // What was fetched by an answer that did not come is locked for the worker until it
            // stops.
            eventually("the rest is done", () -> runs.size() >= count - 100);
            eventually("the worker has said so", () -> log.count("the service answers again") == 1);
            eventually(
                    "nothing more is free",
                    () -> service.place("external") == service.locked("external"));
        }
        try (Worker rest = working(job -> runs.merge(job.id(), 1, Integer::sum))) {
            untilDone();
        }
        assertEquals(count, runs.size());
        assertEquals(
                List.of(), runs.entrySet().stream().filter(one -> one.getValue() > 1).toList());
        assertEquals(0, service.place("dead"));
    }

    @Test
    void aStopLetsHandlersEndAndGivesTheOthersBack() throws Exception {
        service.enqueueMany(10, number -> MAIL);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        Handler handler =
                job -> {
                    runs.incrementAndGet();
                    begun.countDown();
                    ends.await();
                };
        Worker worker =
                started(
                        builder()
                                .concurrency(1)
                                .prefetch(5)
                                .pollTimeout(Duration.ofMinutes(1))
                                .handle("mail", handler));
        await(begun, "the first begins");
        Thread closing = new Thread(worker::close);
        closing.start();
        eventually("those that have not begun are free", () -> service.locked("external") <= 1);
        ends.countDown();
        closing.join();
        // The request that the stop has cut off may get jobs before the service sees that nobody
        // waits for them.
        eventually("all of them are", () -> service.locked("external") == 0);
        assertEquals(10, service.place("external") + runs.get());
        assertEquals(0, service.place("timer"));
    }

    @Test
    void aHandlerThatEndsAfterTheGraceGivesItsJobBack() throws Exception {
        String id = service.enqueue(MAIL).get(0);
        CountDownLatch begun = new CountDownLatch(1);
        Handler handler =
                job -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                };
        Worker worker = started(builder().grace(Duration.ofMillis(1)).handle("mail", handler));
        await(begun, "it begins");
        worker.close();
        eventually(
                "it is free",
                () -> {
                    JsonNode job = service.job(id);
                    boolean isFree =
                            job.path("place").asText().equals("external")
                                    && job.path("lockOwner").isNull();
                    return isFree && job.path("attempts").asInt() == 0;
                });
    }

    @Test
    @Tag("slow")
    void aLockIsProlongedWhileItsJobRuns() throws Exception {
        service.enqueue(MAIL);
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch ends = new CountDownLatch(1);
        Handler handler =
                job -> {
                    runs.incrementAndGet();
                    ends.await();
                };
        Worker.Builder builder = builder().lock(Duration.ofSeconds(2)).handle("mail", handler);
        try (Worker worker = started(builder);
                Worker other = started(builder.name("another"))) {
            eventually("it runs", () -> runs.get() > 0);
            long until = System.nanoTime() + Duration.ofSeconds(5).toNanos();
            eventually("two locks would be over", () -> System.nanoTime() > until);
            assertEquals(1, runs.get());
            ends.countDown();
            untilDone();
        }
    }

    @Test
    void aWorkerThatMayNotEndsWithAnException() throws Exception {
        Worker worker = builder().name("x".repeat(300)).handle("mail", job -> {}).build();
        FutureTask<InvalidException> run =
                new FutureTask<>(() -> assertThrows(InvalidException.class, worker::run));
        new Thread(run).start();
        assertEquals(400, run.get(Service.PATIENCE_S, TimeUnit.SECONDS).status());
        assertThrows(IllegalStateException.class, worker::start);
    }

    @Test
    void runEndsWhenItsThreadIsInterrupted() throws Exception {
        Worker worker = builder().handle("mail", job -> {}).build();
        FutureTask<InterruptedException> run =
                new FutureTask<>(() -> assertThrows(InterruptedException.class, worker::run));
        Thread thread = new Thread(run);
        thread.start();
        eventually("it works", () -> log.count("starts") == 1);
        thread.interrupt();
        run.get(Service.PATIENCE_S, TimeUnit.SECONDS);
    }
}
