package jobstrand;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * Logs one line when the service goes away and one when it is back, however much is tried
 * meanwhile.
 */
final class Outage {
    private final System.Logger log;
    private final Set<String> failing = new HashSet<>();
    private Instant since;

    Outage(System.Logger log) {
        this.log = log;
    }

    /** This cannot be done, and is tried again. */
    synchronized void began(String what, Exception error) {
        if (failing.isEmpty()) {
            since = Instant.now();
            log.log(
                    System.Logger.Level.WARNING,
                    "cannot {0}: {1}; trying again until the service answers",
                    what,
                    error.getMessage());
        }
        failing.add(what);
    }

    /** This could be done, or is not tried any more. */
    synchronized void ended(String what) {
        if (failing.remove(what) && failing.isEmpty()) {
            log.log(
                    System.Logger.Level.WARNING,
                    "the service answers again, after {0} s",
                    Duration.between(since, Instant.now()).toSeconds());
        }
    }
}
