package peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.jdbc.MySQL8JdbcCustomization;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * db-scheduler with its faster way of polling, lock-and-fetch, and the limits of its performance page. For MariaDB it
 * offers only the slower one; `--polling lock-and-fetch` tells it to do there what it does on MySQL 8.
 */
public final class DbSchedulerPeer implements Peer {
    private static final String FETCH = "fetch";
    private static final String LOCK_AND_FETCH = "lock-and-fetch";

    private final Options options;
    private final Database database;
    private final OneTimeTask<Void> task;
    private volatile Ledger ledger;
    private Scheduler scheduler;

    private DbSchedulerPeer(Options options, Database database) {
        this.options = options;
        this.database = database;
        task = Tasks.oneTime("noop")
                .execute((instance, context) -> ledger.succeeded(Integer.parseInt(instance.getId())));
        if (!List.of(FETCH, LOCK_AND_FETCH).contains(options.text("polling"))) {
            throw new IllegalArgumentException("--polling is fetch or lock-and-fetch");
        }
    }

    public static void main(String[] arguments) {
        Drain.main(arguments, Map.of("workers", "50", "polling", LOCK_AND_FETCH, "lower", "0.5", "upper", "4"),
                DbSchedulerPeer::new);
    }

    @Override
    public String name() {
        return "db-scheduler";
    }

    @Override
    public Class<?> library() {
        return Scheduler.class;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("polling", options.text("polling"), "lowerLimit", options.text("lower"), "upperLimit",
                options.text("upper"), "pollingInterval", "100ms");
    }

    @Override
    public void open() throws Exception {
        String time = database.isMariaDb ? "TIMESTAMP(6)" : "TIMESTAMPTZ";
        database.execute(List.of("DROP TABLE IF EXISTS scheduled_tasks",
                "CREATE TABLE scheduled_tasks (task_name VARCHAR(100) NOT NULL, task_instance VARCHAR(100) NOT NULL, "
                        + "task_data " + (database.isMariaDb ? "BLOB" : "BYTEA") + ", execution_time " + time
                        + " NOT NULL, picked BOOLEAN NOT NULL, picked_by VARCHAR(50), last_success " + time
                        + " NULL, last_failure " + time + " NULL, consecutive_failures INT, last_heartbeat " + time
                        + " NULL, version BIGINT NOT NULL, PRIMARY KEY (task_name, task_instance))",
                "CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)",
                "CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)"));
    }

    @Override
    public void enqueue(int jobs, Ledger runs) {
        ledger = runs;
        List<TaskInstance<?>> all = new ArrayList<>();
        for (int number = 0; number < jobs; ++number) {
            all.add(task.instance(String.valueOf(number)));
        }
        SchedulerClient.Builder.create(database.source(), task).build().scheduleBatch(all, Instant.now());
    }

    @Override
    public void start() {
        double lower = Double.parseDouble(options.text("lower"));
        double upper = Double.parseDouble(options.text("upper"));
        SchedulerBuilder builder = Scheduler.create(database.source(), task).threads(options.number("workers"))
                .pollingInterval(Duration.ofMillis(100));
        if (options.text("polling").equals(FETCH)) {
            builder.pollUsingFetch(lower, upper);
        } else {
            builder.pollUsingLockAndFetch(lower, upper);
        }
        if (database.isMariaDb && options.text("polling").equals(LOCK_AND_FETCH)) {
            builder.jdbcCustomization(new MySQL8JdbcCustomization(false));
        }
        scheduler = builder.build();
        scheduler.start();
    }

    @Override
    public void stop() {
        scheduler.stop();
    }

    @Override
    public String[] tables() {
        return new String[] {"scheduled_tasks"};
    }

    @Override
    public void close() {
    }
}
