package peers;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.mariadb.MariaDbStorageProvider;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/**
 * JobRunr, the open-source edition, with job requests, which need no reading of bytecode as its lambdas do. A page is
 * as large as the number of workers, which fetch the next one as soon as they run out of work.
 */
public final class JobRunrPeer implements Peer {
    private static final int BATCH = 1000;
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5); // The shortest that it allows.
    private static volatile Ledger ledger; // JobRunr makes the handlers itself.

    private final Options options;
    private final Database database;
    private final JsonMapper json = new Jackson3JsonMapper();
    private StorageProvider storage;
    private BackgroundJobServer server;

    private JobRunrPeer(Options options, Database database) {
        this.options = options;
        this.database = database;
    }

    public static void main(String[] arguments) {
        Drain.main(arguments, Map.of("workers", "64"), JobRunrPeer::new);
    }

    /** One unit of work. */
    public record Noop(int number) implements JobRequest {
        @Override
        public Class<NoopHandler> getJobRequestHandler() {
            return NoopHandler.class;
        }
    }

    /** Counts the runs. */
    public static final class NoopHandler implements JobRequestHandler<Noop> {
        @Override
        public void run(Noop job) {
            ledger.succeeded(job.number());
        }
    }

    @Override
    public String name() {
        return "JobRunr";
    }

    @Override
    public Class<?> library() {
        return BackgroundJobServer.class;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("pollInterval", POLL_INTERVAL.toSeconds() + "s", "enqueueBatch", String.valueOf(BATCH));
    }

    @Override
    public void open() {
        storage = database.isMariaDb ? new MariaDbStorageProvider(database.source())
                : new PostgresStorageProvider(database.source());
        storage.setJobMapper(new JobMapper(json));
    }

    @Override
    public void enqueue(int jobs, Ledger runs) {
        ledger = runs;
        JobRequestScheduler scheduler = new JobRequestScheduler(storage);
        for (int first = 0; first < jobs; first += BATCH) {
            scheduler.enqueue(IntStream.range(first, Math.min(first + BATCH, jobs)).mapToObj(Noop::new));
        }
    }

    @Override
    public void start() {
        BackgroundJobServerConfiguration configuration = BackgroundJobServerConfiguration
                .usingStandardBackgroundJobServerConfiguration().andWorkerCount(options.number("workers"))
                .andPollInterval(POLL_INTERVAL);
        server = new BackgroundJobServer(storage, json, null, configuration);
        server.start();
    }

    @Override
    public void stop() {
        server.stop();
    }

    @Override
    public String[] tables() {
        return new String[] {"jobrunr_jobs"};
    }

    /** Finished jobs stay in the table, as JobRunr keeps them. */
    @Override
    public boolean isDone(Database watched) throws Exception {
        return watched.query("SELECT 1 FROM jobrunr_jobs WHERE state <> 'SUCCEEDED' LIMIT 1") == null;
    }

    @Override
    public void clear() throws Exception {
        database.execute(List.of("TRUNCATE TABLE jobrunr_jobs"));
    }

    @Override
    public void close() {
        if (storage != null) {
            storage.close();
        }
    }
}
