package peers;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Measures how fast a peer drains a prepared backlog, and prints the JSON of bench/README.md. */
final class Drain {
    private static final String ENDED = "the jobs ended within the time limit";
    private static final String ONCE = "every job succeeded exactly once";
    private static final String EMPTY = "the tables are empty at the end";

    private final Peer peer;
    private final Options options;
    private final Database database;
    private final Result result = new Result();

    private Drain(Peer peer, Options options, Database database) {
        this.peer = peer;
        this.options = options;
        this.database = database;
    }

    interface Maker {
        Peer make(Options options, Database database) throws Exception;
    }

    /** The whole program: exit code 0 passed, 1 failed, 2 wrong usage. */
    static void main(String[] arguments, Map<String, String> more, Maker maker) {
        try {
            Options options = new Options(arguments, more);
            // As Flowable's guide has it: a connection for each worker, and some for what acquires.
            try (Database database = new Database(options.text("db"), options.number("workers") + 22);
                    Peer peer = maker.make(options, database)) {
                System.exit(new Drain(peer, options, database).run() ? 0 : 1);
            }
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(2);
        } catch (Exception error) {
            error.printStackTrace();
            System.exit(1);
        }
    }

    private boolean run() throws Exception {
        Map<String, String> environment = Result.environment(peer, database, options.text("db"));
        peer.open();
        if (options.number("warm-up") > 0) {
            drain(options.number("warm-up"));
        }
        for (int i = 0; i < options.number("repeat") && result.passed(); ++i) {
            Result.Run run = drain(options.number("jobs"));
            result.add(run);
            System.err.printf("%s: %.0f jobs/s%n", peer.name(), run.drain());
        }
        System.out.println(result.json(environment, settings()));
        return result.passed();
    }

    // The clock runs from the start of the executor to the moment when the tables are empty.
    private Result.Run drain(int jobs) throws Exception {
        Ledger ledger = new Ledger(jobs);
        long enqueueBegan = System.nanoTime();
        peer.enqueue(jobs, ledger);
        double enqueueSeconds = secondsSince(enqueueBegan);
        database.refreshStatistics(peer.tables());
        long cpuBefore = cpuNanos();
        long began = System.nanoTime();
        peer.start();
        boolean isOver = waitForEnd(ledger, jobs);
        double seconds = secondsSince(began);
        double cpuMicros = (cpuNanos() - cpuBefore) / 1e3;
        peer.stop();
        result.check(ENDED, isOver ? "" : ledger.count() + " of " + jobs + " jobs succeeded in time");
        result.check(ONCE, ledger.mistakes());
        result.check(EMPTY, peer.isDone(database) ? "" : "jobs are left");
        peer.clear();
        return new Result.Run(jobs / seconds, jobs / enqueueSeconds, cpuMicros / jobs);
    }

    private boolean waitForEnd(Ledger ledger, int jobs) throws Exception {
        long began = System.nanoTime();
        while (secondsSince(began) < options.number("time-limit")) {
            if (ledger.count() >= jobs && peer.isDone(database)) {
                return true;
            }
            Thread.sleep(2);
        }
        return false;
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("jobs", options.text("jobs"));
        settings.put("workers", options.text("workers"));
        settings.put("nodes", "1");
        settings.put("warmUp", options.text("warm-up"));
        settings.put("repeat", options.text("repeat"));
        settings.putAll(new TreeMap<>(peer.settings()));
        settings.put("isolation", "READ COMMITTED");
        return settings;
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
