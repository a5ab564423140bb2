package jobstrand;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The jobs that a worker holds, and the places at which it runs them: a job waits for a place, has
 * it until its handler has ended, and is held until the service has been told of it.
 */
final class InHand {
    private static final long AHEAD_NS = Forecast.AHEAD.toNanos();

    private final int places;
    private final int prefetch; // Jobs that may wait for a place; negative: as many as start soon.
    private final List<String> topics;
    private final Runnable open; // Opens a place, which asks for the next job until there is none.

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition went = lock.newCondition(); // There may be room.
    private final Condition crowded = lock.newCondition(); // Jobs wait beyond the places.
    private final Condition emptied = lock.newCondition(); // No place is open.
    private final Map<String, Job> jobs = new HashMap<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final Map<Job, Long> atWork = new LinkedHashMap<>(); // Since when.
    private final Forecast forecast = new Forecast();
    private boolean isClosed; // No job is started any more.
    private int opened;
    private long lastStart = System.nanoTime();
    private long mark =
            lastStart; // Since then starts have been counted; atOnce of them found a place free.
    private int starts;
    private int atOnce;
    private int asksAt = -1; // Somebody waits until so few jobs wait; negative: nobody does.

    private record Waiting(Job job, long since) {}

    /**
     * Room for further jobs.
     *
     * @param free places that nothing waits for
     * @param ahead jobs of quick topics that may wait beyond that
     * @param quick topics
     */
    record Room(int free, int ahead, List<String> quick) {
        boolean isNone() {
            return free + ahead == 0;
        }
    }

    InHand(int places, int prefetch, List<String> topics, Runnable open) {
        this.places = places;
        this.prefetch = prefetch;
        this.topics = topics;
        this.open = open;
    }

    /**
     * Takes jobs that were fetched. One that is held already has come again, so the lock of its
     * former run is lost. Returns false when no job is started any more.
     */
    boolean add(List<Job> fetched) {
        long now = System.nanoTime();
        lock.lock();
        try {
            if (isClosed) {
                return false;
            }
            for (Job job : fetched) {
                Job former = jobs.put(job.id(), job);
                if (former != null) {
                    lose(former);
                }
            }
            measure(now);
            atOnce = Math.max(0, places - atWork.size());
            fetched.forEach(job -> waiting.add(new Waiting(job, now)));
            for (int more = Math.min(places - opened, waiting.size()); more > 0; --more) {
                open.run();
                ++opened;
            }
            if (waiting.size() > atOnce) {
                crowded.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the job that the calling thread is to run now; null: there is none, and its place is
     * closed.
     */
    Job next() {
        lock.lock();
        try {
            Waiting first = waiting.poll();
            if (first == null) {
                if (--opened == 0) {
                    emptied.signalAll();
                }
                return null;
            }
            long now = System.nanoTime();
            lastStart = now;
            atWork.put(first.job, now);
            ++starts;
            if (waiting.isEmpty()) {
                measure(now);
            }
            first.job.begin(Thread.currentThread());
            return first.job;
        } finally {
            lock.unlock();
        }
    }

    /** The handler of a job has ended, on the calling thread. */
    void freePlaceOf(Job job) {
        lock.lock();
        try {
            job.end();
            // Whatever has interrupted this job does not mean the next one.
            Thread.interrupted();
            Long since = atWork.remove(job);
            if (since != null) {
                forecast.ended(job.handlerType(), System.nanoTime() - since);
            }
            if (waiting.size() <= asksAt) {
                went.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Tells the handler of a job that it is to end. */
    void cancel(Job job, Cancellation why) {
        lock.lock();
        try {
            job.cancel(why);
        } finally {
            lock.unlock();
        }
    }

    /** Tells all handlers that they are to end. */
    void cancelAll(Cancellation why) {
        lock.lock();
        try {
            atWork.keySet().forEach(job -> job.cancel(why));
        } finally {
            lock.unlock();
        }
    }

    /** Forgets jobs. */
    void remove(Collection<Job> gone) {
        lock.lock();
        try {
            gone.forEach(job -> jobs.remove(job.id(), job));
            went.signalAll();
        } finally {
            lock.unlock();
        }
    }

    List<Job> all() {
        lock.lock();
        try {
            return List.copyOf(jobs.values());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells the handlers of those jobs that they are not held any more, and returns the jobs. Whose
     * handler has ended is left out: the service may know of its result already.
     */
    List<Job> loseThose(Set<String> ids, List<Job> among) {
        lock.lock();
        try {
            List<Job> lost = new ArrayList<>();
            for (Job job : among) {
                boolean isHeld = ids.contains(job.id()) && jobs.get(job.id()) == job;
                if (isHeld && (atWork.containsKey(job) || isWaiting(job))) {
                    lost.add(job);
                    lose(job);
                    jobs.remove(job.id());
                }
            }
            went.signalAll();
            return lost;
        } finally {
            lock.unlock();
        }
    }

    /** Lets no further job start. Returns those that wait. */
    List<Job> close() {
        lock.lock();
        try {
            isClosed = true;
            List<Job> unstarted = waiting.stream().map(Waiting::job).toList();
            waiting.clear();
            crowded.signalAll();
            return unstarted;
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return isClosed;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many handlers run. */
    int atWorkNow() {
        lock.lock();
        try {
            return atWork.size();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no handler runs. Returns false when that takes longer. */
    boolean awaitEmpty(Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lock();
        try {
            while (opened > 0 && left > 0) {
                left = emptied.awaitNanos(left);
            }
            return opened == 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the room that there is now, or as soon as there may be some. `ofSome`: also when only
     * some topics may be fetched, to wait. While results cannot be told, no more work begins than
     * as much again as may be held.
     */
    Room waitForRoom(boolean ofSome) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                Room found = roomBeside(ofSome, 0);
                asksAt = -1;
                if (!found.isNone()) {
                    return found;
                }
                asksAt = soon() / 2;
                // Runs that go on become long without a word.
                went.await(500, TimeUnit.MILLISECONDS);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the room that there is now beside so many jobs that were asked for and may come. */
    Room room(boolean ofSome, int expected) {
        lock.lock();
        try {
            return roomBeside(ofSome, expected);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for jobs that wait, and takes back those which will not start soon after all, the last
     * first: others may run them.
     */
    List<Job> surplus() throws InterruptedException {
        lock.lock();
        try {
            while (!isClosed && (waiting.isEmpty() || prefetch >= 0)) {
                crowded.await();
            }
            long left = AHEAD_NS / 2;
            while (!isClosed && left > 0) {
                left = crowded.awaitNanos(left);
            }
            return takeSurplus(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    private List<Job> takeSurplus(long now) {
        if (waiting.isEmpty() || now - waiting.peek().since < AHEAD_NS) {
            return List.of();
        }
        if (now - lastStart >= AHEAD_NS) {
            atWork.forEach((job, since) -> forecast.takesAtLeast(job.handlerType(), now - since));
        }
        List<Job> surplus = new ArrayList<>();
        for (int soon = soon(); waiting.size() > soon; ) {
            surplus.add(waiting.pollLast().job);
        }
        return surplus;
    }

    private boolean isWaiting(Job job) {
        return waiting.stream().anyMatch(one -> one.job == job);
    }

    private void lose(Job job) {
        job.cancel(Cancellation.LOST);
        waiting.removeIf(one -> one.job == job);
    }

    private void measure(long now) {
        if (starts > atOnce) {
            forecast.drained(starts - atOnce, now - mark);
        }
        mark = now;
        starts = 0;
        atOnce = 0;
    }

    /** Returns how many jobs may wait for a place. */
    private int soon() {
        if (prefetch >= 0) {
            return prefetch;
        }
        long longAgo = System.nanoTime() - AHEAD_NS;
        int stuck = 0;
        for (long since : atWork.values()) {
            stuck += since - longAgo < 0 ? 1 : 0;
        }
        return forecast.starts(places - stuck);
    }

    private Room roomBeside(boolean ofSome, int expected) {
        List<String> quick = prefetch >= 0 ? topics : forecast.quick(topics);
        boolean isAhead = quick.size() == topics.size() || (!quick.isEmpty() && ofSome);
        int soon = isAhead ? soon() : 0;
        int left = 2 * (places + soon) - jobs.size() - expected;
        int unused = places - atWork.size() - waiting.size() - expected;
        int free = Math.max(0, Math.min(unused, left));
        int more = soon + Math.min(0, unused);
        // Less than half of what may wait would make many small requests.
        boolean isLittle = more <= 0 || 2 * more < soon;
        return new Room(free, isLittle ? 0 : Math.max(0, Math.min(more, left - free)), quick);
    }
}
