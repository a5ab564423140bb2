package jobstrand;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Between tries: ever longer, up to five seconds, and never of all clients at the same time. */
final class Pause {
    private static final long FIRST_MS = 100;
    private static final long MOST_MS = 5000;

    private long next = FIRST_MS;

    /** Waits, as long as the service says if it does. */
    void sleep(JobstrandException reason) throws InterruptedException {
        long wait = next;
        next = Math.min(2 * wait, MOST_MS);
        if (reason instanceof RefusedException refused) {
            wait = refused.retryAfter().map(Duration::toMillis).orElse(wait);
        }
        Thread.sleep((long) (wait * ThreadLocalRandom.current().nextDouble(0.8, 1.2)));
    }

    void reset() {
        next = FIRST_MS;
    }
}
