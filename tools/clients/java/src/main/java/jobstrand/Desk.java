package jobstrand;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Between a service and a worker: fetches jobs, prolongs their locks, tells what became of them.
 */
final class Desk {
    /** Which is one transaction. */
    static final int JOBS_PER_REQUEST = 1000;

    /** How often it is asked whether jobs that run for longer than that are held still. */
    private static final Duration LOOK = Duration.ofMillis(800);

    private static final String TELL = "tell what became of jobs";
    private static final String PATH = "/api/v1/external-jobs/";

    private final JobstrandClient client;
    private final Transport transport;
    private final Worker.Settings settings;
    private final List<String> topics;
    private final Shares shares; // Null: all topics have the same weight.
    private final InHand held;
    private final Results results = new Results();
    private final Outage outage;
    private boolean cannotTell; // The service is older than this package.
    private boolean isShort; // The last request found less than it asked for.
    private Asked asked; // Null: no request for jobs is under way.

    /** A request for so many jobs. */
    private record Asked(Transport.Asked request, int jobs) {}

    /** Something that the service does not count. */
    private record Refusal(String id, String answer, String why) {}

    /** A result that cannot be meant so, and why. */
    private record Unsayable(Job job, String why) {}

    Desk(
            JobstrandClient client,
            Worker.Settings settings,
            Map<String, Integer> weights,
            InHand held) {
        this.client = client;
        this.transport = client.transport();
        this.settings = settings;
        this.topics = List.copyOf(weights.keySet());
        this.shares = weights.values().stream().distinct().count() > 1 ? new Shares(weights) : null;
        this.held = held;
        this.outage = new Outage(settings.log());
    }

    /**
     * Brings jobs until the thread is interrupted; while an answer is read, the next request is
     * under way already. Throws what the service refuses for good.
     */
    void fetch() {
        Pause pause = new Pause();
        try {
            while (true) {
                try {
                    bring();
                    outage.ended("fetch jobs");
                    pause.reset();
                } catch (JobstrandException error) {
                    if (!Transport.isWorthWaiting(error)) {
                        throw error;
                    }
                    outage.began("fetch jobs", error);
                    pause.sleep(error);
                }
            }
        } catch (InterruptedException stop) {
            // That was the end of it.
        } finally {
            if (asked != null) {
                asked.request.cancel();
            }
        }
    }

    private void bring() throws InterruptedException {
        if (shares != null) {
            // Jobs of some topics that came before a place is free would take it from the others,
            // whatever their weight.
            InHand.Room room = held.waitForRoom(false);
            fillByWeight(Math.min(room.free() + room.ahead(), JOBS_PER_REQUEST));
            return;
        }
        if (asked == null) {
            asked = ask(held.waitForRoom(!isShort));
        }
        Asked answered = asked;
        asked = null;
        byte[] answer = answered.request.answer();
        InHand.Room room = held.room(!isShort, answered.jobs);
        if (!room.isNone()) {
            asked = ask(room);
        }
        List<Job> jobs = transport.read(answer, this::jobsIn);
        isShort = jobs.size() < answered.jobs;
        add(jobs);
    }

    private Asked ask(InHand.Room room) {
        if (room.quick().size() == topics.size()) {
            return ask(topics, room.free() + room.ahead(), settings.pollTimeout());
        }
        return room.free() > 0
                ? ask(topics, room.free(), settings.pollTimeout())
                : ask(room.quick(), room.ahead(), Duration.ZERO);
    }

    /** Takes jobs in the order of the shares, and what is left of the places for any. */
    private void fillByWeight(int most) throws InterruptedException {
        List<String> order = shares.of(most);
        Map<String, Integer> counts = new LinkedHashMap<>();
        order.forEach(topic -> counts.merge(topic, 1, Integer::sum));
        Map<String, Deque<Job>> fetched = new HashMap<>();
        List<Job> jobs = new ArrayList<>();
        try {
            for (Map.Entry<String, Integer> one : counts.entrySet()) {
                fetched.put(
                        one.getKey(),
                        new ArrayDeque<>(
                                take(List.of(one.getKey()), one.getValue(), Duration.ZERO)));
            }
        } finally {
            for (String topic : order) {
                Job job = fetched.getOrDefault(topic, new ArrayDeque<>()).poll();
                if (job != null) {
                    jobs.add(job);
                }
            }
            add(jobs);
        }
        int left = most - jobs.size();
        if (left > 0) {
            add(take(topics, left, jobs.isEmpty() ? settings.pollTimeout() : Duration.ZERO));
        }
    }

    private List<Job> take(List<String> of, int jobs, Duration wait) throws InterruptedException {
        return transport.read(ask(of, jobs, wait).request.answer(), this::jobsIn);
    }

    private Asked ask(List<String> of, int most, Duration wait) {
        int jobs = Math.min(most, JOBS_PER_REQUEST);
        ObjectNode order = order().put("jobs", jobs);
        order.put("lockDuration", Json.text(settings.lock())).put("wait", Json.text(wait));
        of.forEach(order.putArray("topics")::add);
        if (settings.tenantId() != null) {
            order.put("tenantId", settings.tenantId());
        }
        return new Asked(transport.minimal(PATH + "acquire", Json.bytes(order), wait), jobs);
    }

    private List<Job> jobsIn(JsonParser answer) throws IOException {
        answer.nextToken();
        while (answer.nextToken() == JsonToken.FIELD_NAME) {
            boolean isJobs = answer.currentName().equals("items");
            answer.nextToken();
            if (isJobs) {
                List<Job> jobs = new ArrayList<>();
                while (answer.nextToken() == JsonToken.START_OBJECT) {
                    jobs.add(Job.from(answer, client.mapper()));
                }
                return jobs;
            }
            answer.skipChildren();
        }
        throw new JsonParseException(answer, "it has no jobs");
    }

    private void add(List<Job> jobs) throws InterruptedException {
        if (!jobs.isEmpty() && !held.add(jobs)) {
            giveBack(jobs);
        }
    }

    private ObjectNode order() {
        return Json.PROTOCOL.createObjectNode().put("worker", settings.name());
    }

    /** Asks something about jobs. Returns those for which it does not count. */
    private List<Refusal> about(
            String what, List<Job> jobs, Duration lock, Function<Job, ObjectNode> saying)
            throws InterruptedException {
        ObjectNode order = order();
        if (lock != null) {
            order.put("lockDuration", Json.text(lock));
        }
        ArrayNode named = order.putArray("jobs");
        jobs.forEach(job -> named.add(saying.apply(job)));
        return refused(transport.once("POST", PATH + what, Json.bytes(order), Duration.ZERO));
    }

    private List<Refusal> refused(byte[] answer) {
        List<Refusal> refused = new ArrayList<>();
        for (JsonNode one : transport.read(answer).path("refused")) {
            refused.add(
                    new Refusal(
                            one.path("id").asText(),
                            one.path("answer").asText(),
                            one.path("why").asText()));
        }
        return refused;
    }

    /** Says that jobs will not be run here; no attempt is used. */
    void giveBack(List<Job> jobs) throws InterruptedException {
        held.remove(jobs);
        if (jobs.isEmpty()) {
            return;
        }
        try {
            about("release", jobs, null, Desk::named);
        } catch (JobstrandException error) {
            settings.log().log(
                    Level.WARNING,
                    "cannot give {0} jobs back; they are free when their locks end: {1}",
                    jobs.size(),
                    error.getMessage());
        }
    }

    /**
     * Frees what the service may have given in answer to the request that the stop has cut off.
     * Nothing else is held when it is called, unless handlers do not end.
     */
    void giveUnknownBack() throws InterruptedException {
        if (held.atWorkNow() > 0) {
            return;
        }
        byte[] order = Json.bytes(Map.of("workerId", settings.name()));
        try {
            transport.once("POST", "/external-job-api/unacquire/jobs", order, Duration.ZERO);
        } catch (JobstrandException error) {
            settings.log().log(
                    Level.WARNING,
                    "cannot ask for jobs that were on their way; they are free when their locks"
                            + " end: {0}",
                    error.getMessage());
        }
    }

    /** Gives jobs back that will not start soon after all, until none is started any more. */
    void giveSurplusBack() throws InterruptedException {
        while (!held.isClosed()) {
            giveBack(held.surplus());
        }
    }

    /**
     * Prolongs locks each third of their time. In between it asks for those of jobs that take long,
     * because the jobs may have been cancelled, and says what the runs of others tell.
     */
    void keepLocks(CountDownLatch closed) throws InterruptedException {
        long third = settings.lock().toNanos() / 3;
        long every = Math.min(LOOK.toNanos(), third);
        long prolonged = System.nanoTime();
        Set<Job> before = Set.of();
        while (!closed.await(every, TimeUnit.NANOSECONDS)) {
            List<Job> jobs = held.all();
            if (System.nanoTime() - prolonged >= third - every / 2) {
                prolonged = System.nanoTime();
                look("extend", jobs, settings.lock());
            } else {
                lookAt(jobs, before);
            }
            before = new HashSet<>(jobs);
        }
    }

    private void lookAt(List<Job> jobs, Set<Job> before) throws InterruptedException {
        Map<Job, ObjectNode> told = new LinkedHashMap<>();
        boolean isAnyNew = false;
        for (Job job : jobs) {
            ObjectNode said = named(job);
            boolean isNew = !cannotTell && job.news().takeInto(said);
            if (isNew || before.contains(job)) {
                told.put(job, said);
            }
            isAnyNew |= isNew;
        }
        if (!isAnyNew) {
            look("held", List.copyOf(told.keySet()), null);
        } else if (!look("progress", List.copyOf(told.keySet()), null, told::get)) {
            told.forEach(Desk::isNotTold);
        }
    }

    private static void isNotTold(Job job, ObjectNode said) {
        if (said.size() > named(job).size()) {
            job.news().notTold();
        }
    }

    private static ObjectNode named(Job job) {
        return Json.PROTOCOL.createObjectNode().put("id", job.id()).put("revision", job.revision());
    }

    private void look(String what, List<Job> jobs, Duration lock) throws InterruptedException {
        look(what, jobs, lock, Desk::named);
    }

    /** Returns false when the service has not answered. */
    private boolean look(
            String what, List<Job> jobs, Duration lock, Function<Job, ObjectNode> saying)
            throws InterruptedException {
        if (jobs.isEmpty()) {
            outage.ended("keep locks");
        }
        for (int start = 0; start < jobs.size(); start += JOBS_PER_REQUEST) {
            List<Job> part = jobs.subList(start, Math.min(start + JOBS_PER_REQUEST, jobs.size()));
            Set<String> ids = new HashSet<>();
            try {
                about(what, part, lock, saying).forEach(one -> ids.add(one.id()));
            } catch (JobstrandException error) {
                cannotTell |= what.equals("progress") && error instanceof NotFoundException;
                outage.began("keep locks", error);
                return false;
            }
            outage.ended("keep locks");
            for (Job job : held.loseThose(ids, part)) {
                settings.log().log(Level.WARNING, "the lock of job {0} is lost", job.id());
            }
        }
        return true;
    }

    /** The handler of a job has returned (null), or thrown this, on the calling thread. */
    void ended(Job job, Throwable failure) throws InterruptedException {
        held.freePlaceOf(job);
        if (!job.isFirstToTell()) {
            settings.log().log(
                    Level.WARNING,
                    "the handler of job {0} has ended after its time, and its place is free",
                    job.id());
            return;
        }
        if (failure != null && job.cancellation().orElse(null) == Cancellation.STOPPED) {
            giveBack(List.of(job));
            return;
        }
        results.add(Result.of(job, failure));
    }

    /** The time of a handler is over. */
    void giveUp(Job job, Duration timeout) {
        if (!job.isFirstToTell()) {
            return;
        }
        String message =
                "java.util.concurrent.TimeoutException: the handler of "
                        + job.handlerType()
                        + " did not end within "
                        + timeout;
        settings.log().log(
                Level.ERROR,
                "the time of the handler of job {0} is over; its place is lost until it returns",
                job.id());
        held.cancel(job, Cancellation.TIME_LIMIT);
        results.add(Result.untold(job, message));
    }

    /** No result comes any more. */
    void closeResults() {
        results.close();
    }

    /** Tells results until there are no more. */
    void tellAll() throws InterruptedException {
        for (List<Result> told = results.next(); !told.isEmpty(); told = results.next()) {
            List<Job> ended = new ArrayList<>();
            List<Result> counting = new ArrayList<>();
            for (Result one : told) {
                ended.add(one.job());
                if (one.job().cancellation().orElse(null) != Cancellation.LOST) {
                    counting.add(one);
                }
            }
            finish(counting);
            held.remove(ended);
        }
    }

    /** Tells results. What the service does not take is told as a failure of that job alone. */
    private void finish(List<Result> told) throws InterruptedException {
        List<Result> again = new ArrayList<>();
        for (Unsayable one : unsayable(told)) {
            again.add(Result.untold(one.job, "the service refuses its result: " + one.why));
        }
        for (Unsayable one : unsayable(again)) {
            settings.log().log(
                    Level.ERROR,
                    "what became of job {0} cannot be told; it runs again: {1}",
                    one.job.id(),
                    one.why);
        }
    }

    /** Tells results. Returns those that cannot be meant so. */
    private List<Unsayable> unsayable(List<Result> told) throws InterruptedException {
        if (told.isEmpty()) {
            return List.of();
        }
        List<Refusal> answers;
        try {
            answers = answersTo(told);
        } catch (InvalidException error) {
            if (told.size() == 1) {
                return List.of(new Unsayable(told.get(0).job(), error.getMessage()));
            }
            int middle = told.size() / 2;
            List<Unsayable> found = new ArrayList<>(unsayable(told.subList(0, middle)));
            found.addAll(unsayable(told.subList(middle, told.size())));
            return found;
        }
        if (answers.isEmpty()) {
            return List.of();
        }
        Map<String, Job> jobs = new HashMap<>();
        told.forEach(one -> jobs.put(one.job().id(), one.job()));
        List<Unsayable> found = new ArrayList<>();
        for (Refusal one : answers) {
            Job job = jobs.get(one.id);
            if (one.answer.equals("refused") && job != null) {
                found.add(new Unsayable(job, one.why));
            } else {
                settings.log().log(
                        Level.WARNING,
                        "the result of job {0} does not count: {1}",
                        one.id,
                        one.answer);
            }
        }
        return found;
    }

    /**
     * Tells results until the service has an answer. Throws InvalidException when that is that they
     * cannot be meant so.
     */
    private List<Refusal> answersTo(List<Result> told) throws InterruptedException {
        byte[] body = bodyOf(told);
        Pause pause = new Pause();
        long begun = System.nanoTime();
        try {
            while (true) {
                try {
                    return refused(transport.once("POST", PATH + "finish", body, Duration.ZERO));
                } catch (InvalidException error) {
                    throw error;
                } catch (JobstrandException error) {
                    boolean isOver = System.nanoTime() - begun > settings.lock().toNanos();
                    if (isOver || !Transport.isWorthWaiting(error)) {
                        settings.log().log(
                                Level.ERROR,
                                "what became of {0} jobs cannot be told; they run again: {1}",
                                told.size(),
                                error.getMessage());
                        return List.of();
                    }
                    outage.began(TELL, error);
                    pause.sleep(error);
                }
            }
        } finally {
            outage.ended(TELL);
        }
    }

    private byte[] bodyOf(List<Result> told) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes("{\"worker\":".getBytes(StandardCharsets.UTF_8));
        body.writeBytes(Json.bytes(settings.name()));
        String before = ",\"results\":[";
        for (Result one : told) {
            body.writeBytes(before.getBytes(StandardCharsets.UTF_8));
            body.writeBytes(one.text());
            before = ",";
        }
        body.writeBytes("]}".getBytes(StandardCharsets.UTF_8));
        return body.toByteArray();
    }
}
