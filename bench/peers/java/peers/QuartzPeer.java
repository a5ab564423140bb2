package peers;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.StdJDBCDelegate;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/**
 * Quartz with its clustered JDBC store: one durable job, and a trigger that fires once for each unit of work. Triggers
 * are acquired in batches as large as its guide allows, the number of threads.
 */
public final class QuartzPeer implements Peer {
    private static final int BATCH = 1000;
    private static final String TABLES = "/org/quartz/impl/jdbcjobstore/tables_mysql_innodb.sql";
    private static volatile Ledger ledger; // Quartz makes the job objects itself.

    private final Options options;
    private final Database database;
    private Scheduler producer;
    private Scheduler consumer;

    private QuartzPeer(Options options, Database database) {
        this.options = options;
        this.database = database;
    }

    public static void main(String[] arguments) {
        Drain.main(arguments, Map.of("workers", "64"), QuartzPeer::new);
    }

    /** The work of all triggers. */
    public static final class Noop implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            ledger.succeeded(Integer.parseInt(context.getTrigger().getKey().getName()));
        }
    }

    @Override
    public String name() {
        return "Quartz";
    }

    @Override
    public Class<?> library() {
        return Scheduler.class;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("clustered", "true", "batchTriggerAcquisitionMaxCount", options.text("workers"),
                "enqueueBatch", String.valueOf(BATCH));
    }

    @Override
    public void open() throws Exception {
        try (InputStream script = Scheduler.class.getResourceAsStream(TABLES)) {
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)^(#|--).*$", "");
            database.execute(Arrays.stream(text.split(";")).map(String::strip).filter(sql -> !sql.isEmpty()).toList());
        }
        DBConnectionManager.getInstance().addConnectionProvider("bench", new Connections(database));
        producer = scheduler("producer");
    }

    @Override
    public void enqueue(int jobs, Ledger runs) throws Exception {
        ledger = runs;
        JobDetail job = JobBuilder.newJob(Noop.class).withIdentity("noop").storeDurably().build();
        producer.addJob(job, true);
        for (int first = 0; first < jobs; first += BATCH) {
            Set<Trigger> triggers = new HashSet<>();
            for (int number = first; number < Math.min(first + BATCH, jobs); ++number) {
                triggers.add(TriggerBuilder.newTrigger().forJob(job).withIdentity(String.valueOf(number)).startNow()
                        .build());
            }
            producer.scheduleJobs(Map.of(job, triggers), true);
        }
    }

    @Override
    public void start() throws Exception {
        consumer = scheduler("consumer");
        consumer.start();
    }

    @Override
    public void stop() throws Exception {
        consumer.shutdown(true);
    }

    @Override
    public String[] tables() {
        return new String[] {"QRTZ_TRIGGERS", "QRTZ_FIRED_TRIGGERS"};
    }

    @Override
    public void close() throws SchedulerException {
        if (producer != null) {
            producer.shutdown();
        }
    }

    // Two nodes of one cluster: the one that enqueues is never started.
    private Scheduler scheduler(String node) throws SchedulerException {
        Properties properties = new Properties();
        String store = "org.quartz.jobStore.";
        properties.setProperty("org.quartz.scheduler.instanceName", "bench");
        properties.setProperty("org.quartz.scheduler.instanceId", node + System.nanoTime());
        properties.setProperty("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", options.text("workers"));
        properties.setProperty("org.quartz.scheduler.idleWaitTime", "1000");
        properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        properties.setProperty("org.quartz.threadPool.threadCount", options.text("workers"));
        properties.setProperty(store + "class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        properties.setProperty(store + "driverDelegateClass", StdJDBCDelegate.class.getName());
        properties.setProperty(store + "dataSource", "bench");
        properties.setProperty(store + "isClustered", "true");
        properties.setProperty(store + "acquireTriggersWithinLock", "true");
        properties.setProperty(store + "misfireThreshold", "3600000");
        // Its factory keeps schedulers by name, and would return the first one for the second.
        StdSchedulerFactory factory = new StdSchedulerFactory(properties);
        SchedulerRepository.getInstance().remove("bench");
        return factory.getScheduler();
    }

    private record Connections(Database database) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return database.source().getConnection();
        }

        @Override
        public void shutdown() {
        }

        @Override
        public void initialize() {
        }
    }
}
