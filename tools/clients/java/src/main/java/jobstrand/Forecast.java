package jobstrand;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells how many jobs the places of a worker start soon, from how long the last runs of each topic
 * have taken and how fast waiting jobs were started. A topic of which no run has ended is slow: who
 * held more of it than it runs would keep jobs from workers that are idle. Guarded by the lock of
 * InHand.
 */
final class Forecast {
    /** What counts as soon. */
    static final Duration AHEAD = Duration.ofMillis(50);

    private static final double AHEAD_S = AHEAD.toNanos() / 1e9;

    /** How many jobs wait at most, however short they are. */
    private static final int MOST_AHEAD = 2000;

    /** After a change of work, a few dozen runs tell. */
    private static final double PART_OF_LAST = 1.0 / 16;

    private final Map<String, Double> means = new HashMap<>();
    private double mean; // Of the runs of quick topics, in seconds; 0: there was none.
    private double rate; // Of starts, per second, while jobs waited; 0: not known.

    void ended(String topic, long nanos) {
        double seconds = Math.max(nanos / 1e9, 1e-7);
        double before = means.getOrDefault(topic, seconds);
        double after = before + (seconds - before) * PART_OF_LAST;
        means.put(topic, after);
        if (after <= AHEAD_S) {
            mean = mean == 0 ? seconds : mean + (seconds - mean) * PART_OF_LAST;
        }
    }

    /** A run that goes on has taken that long already. */
    void takesAtLeast(String topic, long nanos) {
        means.merge(topic, nanos / 1e9, Math::max);
    }

    /** So many jobs were started while others waited for a place. */
    void drained(int starts, long nanos) {
        double last = starts / Math.max(nanos / 1e9, 1e-6);
        rate = rate == 0 ? last : (rate + last) / 2;
    }

    /** Returns those topics that are worth fetching before a place is free. */
    List<String> quick(List<String> topics) {
        List<String> quick = new ArrayList<>(topics);
        quick.removeIf(topic -> means.getOrDefault(topic, Double.MAX_VALUE) > AHEAD_S);
        return quick;
    }

    /** Returns how many jobs of quick topics so many places start soon. */
    int starts(int places) {
        if (mean == 0 || places <= 0) {
            return 0;
        }
        double byRate = rate == 0 ? 4.0 * places : rate * AHEAD_S;
        return (int) Math.min(Math.min(places * AHEAD_S / mean, byRate), MOST_AHEAD);
    }
}
