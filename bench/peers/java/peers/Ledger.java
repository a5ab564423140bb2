package peers;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Counts how often each job has run. Thread safety: full. */
final class Ledger {
    private final AtomicIntegerArray runs;
    private final AtomicInteger ranOnce = new AtomicInteger();
    private final AtomicInteger strangers = new AtomicInteger();

    Ledger(int jobs) {
        runs = new AtomicIntegerArray(jobs);
    }

    void succeeded(int number) {
        if (number < 0 || number >= runs.length()) {
            strangers.incrementAndGet();
        } else if (runs.incrementAndGet(number) == 1) {
            ranOnce.incrementAndGet();
        }
    }

    /** How many jobs have run at least once. */
    int count() {
        return ranOnce.get();
    }

    /** What is wrong; empty when every job ran exactly once. */
    String mistakes() {
        int never = 0;
        int again = 0;
        for (int number = 0; number < runs.length(); ++number) {
            never += runs.get(number) == 0 ? 1 : 0;
            again += runs.get(number) > 1 ? 1 : 0;
        }
        return never + again + strangers.get() == 0 ? ""
                : never + " jobs never succeeded, " + again + " more than once, " + strangers.get() + " are unknown";
    }
}
