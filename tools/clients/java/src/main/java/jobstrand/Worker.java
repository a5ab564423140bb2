package jobstrand;

import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/**
 * Takes external jobs from a service, runs a handler for each, and says what became of it. A job
 * may come twice, when its worker dies or stands still for longer than its lock; handlers must bear
 * that.
 *
 * <pre>{@code
 * Worker.builder(client)
 *         .handle("mail", job -> send(job.payload(Order.class)))
 *         .build()
 *         .run();
 * }</pre>
 *
 * <p>A worker works once: {@link #run} until the JVM is asked to end, or {@link #start} until
 * {@link #close}. While the service is away it waits, and tells its results afterwards. It logs by
 * {@link System.Logger} of the name {@code jobstrand}.
 */
public final class Worker implements AutoCloseable {
    private final JobstrandClient client;
    private final Settings settings;
    private final Map<String, Handling> handlers;
    private final ExecutorService threads; // Of handlers.
    private final ExecutorService background; // Of the desk.
    private final ScheduledThreadPoolExecutor timers;
    private final InHand held;
    private final Desk desk;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    private boolean isStarted;
    private boolean isStopping;
    private Thread fetching;

    private record Handling(Handler handler, int weight, Duration timeout) {}

    record Settings(
            String name,
            int concurrency,
            Duration lock,
            Duration pollTimeout,
            Duration grace,
            String tenantId,
            System.Logger log) {}

    private Worker(Builder builder) {
        client = builder.client;
        settings =
                new Settings(
                        builder.name,
                        builder.concurrency,
                        builder.lock,
                        builder.pollTimeout,
                        builder.grace,
                        builder.tenantId,
                        System.getLogger("jobstrand"));
        handlers = new LinkedHashMap<>(builder.handlers);
        threads =
                Executors.newCachedThreadPool(
                        builder.threads != null
                                ? builder.threads
                                : daemons(builder.name + "-handler-"));
        background = Executors.newCachedThreadPool(daemons(builder.name + "-desk-"));
        timers = new ScheduledThreadPoolExecutor(1, daemons(builder.name + "-timer-"));
        timers.setRemoveOnCancelPolicy(true);
        Map<String, Integer> weights = new LinkedHashMap<>();
        handlers.forEach((topic, handling) -> weights.put(topic, handling.weight));
        held =
                new InHand(
                        settings.concurrency,
                        builder.prefetch,
                        List.copyOf(weights.keySet()),
                        () -> threads.execute(this::place));
        desk = new Desk(client, settings, weights, held);
    }

    /** Of the service of a client. */
    public static Builder builder(JobstrandClient client) {
        return new Builder(client);
    }

    /**
     * Works until {@link #close} is called, the thread is interrupted, or the JVM ends, by SIGTERM
     * for one; it does not end then before the worker has.
     *
     * @throws RefusedException what the service refuses for good, such as a wrong token
     */
    public void run() throws InterruptedException {
        Thread hook = new Thread(this::close, settings.name + "-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            start();
            ended.await();
        } finally {
            close();
            unhook(hook);
        }
        Throwable reason = failure.get();
        if (reason instanceof RuntimeException error) {
            throw error;
        }
        if (reason != null) {
            throw new IllegalStateException("the worker has ended by a bug of its own", reason);
        }
    }

    /**
     * Works on threads of its own until {@link #close} is called. What ends it before that is
     * logged.
     */
    public synchronized void start() {
        if (isStarted) {
            throw new IllegalStateException("a worker works once");
        }
        isStarted = true;
        settings.log.log(
                Level.INFO,
                "worker {0} starts: serves {1} at {2} places, of {3}",
                settings.name,
                served(),
                settings.concurrency,
                client.transport().address());
        fetching = new Thread(this::work, settings.name + "-fetch");
        fetching.start();
    }

    /**
     * Stops: running handlers may end, and are interrupted when the grace is over; jobs that have
     * not begun are given back. When this returns the service knows all results. A handler must not
     * call it.
     */
    @Override
    public void close() {
        if (!stop()) {
            return;
        }
        boolean isInterrupted = false;
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException again) {
                // It is at most as long as the grace.
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns false when there is nothing to wait for. */
    private synchronized boolean stop() {
        isStopping = true;
        if (fetching != null) {
            fetching.interrupt();
        }
        return isStarted;
    }

    private synchronized void fetchingEnds() {
        fetching = null;
        Thread.interrupted();
    }

    private static void unhook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException theJvmEnds) {
            // The hook runs already.
        }
    }

    private String served() {
        return handlers.entrySet().stream()
                .map(
                        one ->
                                one.getValue().weight == 1
                                        ? one.getKey()
                                        : one.getKey() + " (weight " + one.getValue().weight + ")")
                .collect(Collectors.joining(", "));
    }

    /** The whole of its life, on one thread. */
    private void work() {
        CountDownLatch closed = new CountDownLatch(1);
        Future<?> locks = inBackground(() -> desk.keepLocks(closed));
        Future<?> surplus = inBackground(desk::giveSurplusBack);
        Future<?> telling = inBackground(desk::tellAll);
        try {
            if (!isToStop()) {
                desk.fetch();
            }
        } catch (RuntimeException | Error error) {
            fail(error);
        }
        fetchingEnds();
        try {
            desk.giveBack(held.close());
            drain();
            desk.closeResults();
            await(telling);
            closed.countDown();
            await(locks);
            await(surplus);
            desk.giveUnknownBack();
        } catch (InterruptedException | RuntimeException | Error error) {
            fail(error);
        } finally {
            timers.shutdownNow();
            threads.shutdown();
            background.shutdown();
            ended.countDown();
        }
    }

    private synchronized boolean isToStop() {
        return isStopping;
    }

    private interface Task {
        void run() throws InterruptedException;
    }

    /**
     * A bug in one of its threads ends the worker: it must not go on without what the thread did.
     */
    private Future<?> inBackground(Task task) {
        return background.submit(
                () -> {
                    try {
                        task.run();
                    } catch (InterruptedException end) {
                        // It is not wanted any more.
                    } catch (RuntimeException | Error bug) {
                        fail(bug);
                    }
                });
    }

    private static void await(Future<?> task) throws InterruptedException {
        try {
            task.get();
        } catch (ExecutionException error) {
            throw new IllegalStateException(error.getCause());
        }
    }

    private void fail(Throwable reason) {
        if (failure.compareAndSet(null, reason)) {
            settings.log.log(Level.ERROR, "worker " + settings.name + " ends", reason);
        }
        stop();
    }

    /** Waits for the running handlers. */
    private void drain() throws InterruptedException {
        if (held.awaitEmpty(settings.grace)) {
            return;
        }
        held.cancelAll(Cancellation.STOPPED);
        if (!held.awaitEmpty(Duration.ofSeconds(1))) {
            settings.log.log(
                    Level.WARNING,
                    "{0} handlers do not end; their jobs run again when their locks are over",
                    held.atWorkNow());
        }
    }

    /** Runs jobs until none waits. */
    private void place() {
        try {
            for (Job job = held.next(); job != null; job = held.next()) {
                runOne(job);
            }
        } catch (InterruptedException | RuntimeException | Error bug) {
            fail(bug);
        }
    }

    private void runOne(Job job) throws InterruptedException {
        Handling handling = handlers.get(job.handlerType());
        Future<?> timer =
                handling.timeout == null
                        ? null
                        : timers.schedule(
                                () -> desk.giveUp(job, handling.timeout),
                                handling.timeout.toNanos(),
                                TimeUnit.NANOSECONDS);
        Throwable thrown = null;
        try {
            handling.handler.handle(job);
        } catch (Throwable error) { // Whatever a handler throws is the failure of its job alone.
            thrown = error;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        desk.ended(job, thrown);
    }

    private static ThreadFactory daemons(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Options of a worker. */
    public static final class Builder {
        private final JobstrandClient client;
        private final Map<String, Handling> handlers = new LinkedHashMap<>();
        private String name = madeUp();
        private int concurrency = 8;
        private int prefetch = -1;
        private Duration lock = Duration.ofMinutes(5);
        private Duration pollTimeout = Duration.ofSeconds(5);
        private Duration grace = Duration.ofSeconds(30);
        private String tenantId;
        private ThreadFactory threads;

        private Builder(JobstrandClient client) {
            this.client = Objects.requireNonNull(client);
        }

        /** Names the handler of a handler type, which workers call a topic. */
        public Builder handle(String topic, Handler handler) {
            return handle(topic, HandlerOptions.DEFAULT, handler);
        }

        /** Names the handler of a handler type, which workers call a topic, with options. */
        public Builder handle(String topic, HandlerOptions options, Handler handler) {
            Objects.requireNonNull(topic);
            Handling handling =
                    new Handling(
                            Objects.requireNonNull(handler), options.weight(), options.timeout());
            if (handlers.putIfAbsent(topic, handling) != null) {
                throw new IllegalArgumentException("there is a handler of " + topic + " already");
            }
            return this;
        }

        /** Unique among all workers; made up if nothing is said. */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name);
            return this;
        }

        /** How many handlers run at once; 8 if nothing is said. */
        public Builder concurrency(int handlers) {
            this.concurrency = atLeast(1, handlers, "concurrency");
            return this;
        }

        /**
         * How many jobs may wait for a place. If nothing is said, what starts within about 50 ms by
         * the measure of the last runs; when that turns out wrong, those that wait are given back.
         */
        public Builder prefetch(int jobs) {
            this.prefetch = atLeast(0, jobs, "prefetch");
            return this;
        }

        /**
         * How long a job is locked, which is prolonged while it is held; 5 minutes if nothing is
         * said.
         */
        public Builder lock(Duration lock) {
            this.lock = Json.positive(lock, "lock");
            return this;
        }

        /** How long one request waits for jobs; 5 s if nothing is said, a minute at most. */
        public Builder pollTimeout(Duration pollTimeout) {
            this.pollTimeout = Json.notNegative(pollTimeout, "pollTimeout");
            return this;
        }

        /**
         * For running handlers after a stop, before they are interrupted; 30 s if nothing is said.
         */
        public Builder grace(Duration grace) {
            this.grace = Json.notNegative(grace, "grace");
            return this;
        }

        /** Has it take only the jobs of a tenant. */
        public Builder tenantId(String tenantId) {
            this.tenantId = Objects.requireNonNull(tenantId);
            return this;
        }

        /** Makes the threads that handlers run on, such as virtual ones. */
        public Builder threadFactory(ThreadFactory threads) {
            this.threads = Objects.requireNonNull(threads);
            return this;
        }

        public Worker build() {
            if (handlers.isEmpty()) {
                throw new IllegalStateException("a worker needs a handler");
            }
            return new Worker(this);
        }

        private static int atLeast(int least, int value, String name) {
            if (value < least) {
                throw new IllegalArgumentException(name + " must be at least " + least);
            }
            return value;
        }

        private static String madeUp() {
            String host;
            try {
                host = InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException error) {
                host = "java";
            }
            int number = ThreadLocalRandom.current().nextInt();
            return "%s-%d-%08x".formatted(host, ProcessHandle.current().pid(), number);
        }
    }
}
