package peers;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.flowable.common.engine.impl.AbstractEngineConfiguration;
import org.flowable.common.engine.impl.async.AsyncTaskExecutorConfiguration;
import org.flowable.engine.ProcessEngine;
import org.flowable.engine.impl.cfg.ProcessEngineConfigurationImpl;
import org.flowable.engine.impl.cfg.StandaloneProcessEngineConfiguration;
import org.flowable.job.service.JobService;
import org.flowable.job.service.impl.asyncexecutor.AsyncJobExecutorConfiguration;
import org.flowable.job.service.impl.persistence.entity.JobEntity;

/**
 * Flowable as its own benchmark sets it up, with a queue of 4096, global acquire lock and no history, but with larger
 * pages, shorter waits and fewer threads, which are faster on a small machine. Its three published models (noop, wait,
 * timer), and jobs without a process (plain), which do what a job of Jobstrand does and no more.
 */
public final class FlowablePeer implements Peer {
    private static final int BATCH = 200;
    private static final int QUEUE = 4096;
    private static final String PLAIN = FlowableCounter.PLAIN;

    private final Options options;
    private final Database database;
    private final String model;
    private final FlowableCounter counter = new FlowableCounter();
    private ProcessEngine producer;
    private ProcessEngine consumer;

    private FlowablePeer(Options options, Database database) {
        this.options = options;
        this.database = database;
        this.model = options.text("model");
        if (!List.of("noop", "wait", "timer", PLAIN).contains(model)) {
            throw new IllegalArgumentException("--model is noop, wait, timer or plain");
        }
    }

    public static void main(String[] arguments) {
        Drain.main(arguments, Map.of("model", "noop", "workers", "64", "page", "2048", "acquisition-wait", "50"),
                FlowablePeer::new);
    }

    @Override
    public String name() {
        return "Flowable";
    }

    @Override
    public Class<?> library() {
        return ProcessEngine.class;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("model", model, "queue", String.valueOf(QUEUE), "page", options.text("page"), "globalAcquireLock",
                "true", "acquisitionWait", options.text("acquisition-wait") + "ms", "history", "none", "enqueueBatch",
                String.valueOf(BATCH));
    }

    @Override
    public void open() {
        producer = engine();
        if (!model.equals(PLAIN)) {
            producer.getRepositoryService().createDeployment()
                    .addClasspathResource("flowable_" + model + ".bpmn20.xml").deploy();
        }
    }

    @Override
    public void enqueue(int jobs, Ledger ledger) {
        counter.report(ledger);
        for (int first = 0; first < jobs; first += BATCH) {
            int begin = first;
            int end = Math.min(first + BATCH, jobs);
            producer.getManagementService().executeCommand(context -> {
                for (int number = begin; number < end; ++number) {
                    create(number);
                }
                return null;
            });
        }
    }

    private void create(int number) {
        if (!model.equals(PLAIN)) {
            counter.expect(producer.getRuntimeService().startProcessInstanceByKey("model").getId(), number);
            return;
        }
        JobService jobs = configuration(producer).getJobServiceConfiguration().getJobService();
        JobEntity job = jobs.createJob();
        job.setJobHandlerType(PLAIN);
        job.setJobHandlerConfiguration(String.valueOf(number));
        jobs.createAsyncJob(job, false);
        jobs.scheduleAsyncJob(job);
    }

    @Override
    public void start() {
        consumer = engine();
        configuration(consumer).getAsyncExecutor().start();
    }

    @Override
    public void stop() {
        consumer.close();
    }

    @Override
    public String[] tables() {
        return new String[] {"ACT_RU_JOB", "ACT_RU_TIMER_JOB", "ACT_RU_DEADLETTER_JOB", "ACT_RU_SUSPENDED_JOB"};
    }

    /** The instances that wait behind their job, as in the published models. */
    @Override
    public void clear() throws Exception {
        database.truncateLike("ACT\\_RU\\_%");
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close();
        }
    }

    private ProcessEngine engine() {
        StandaloneProcessEngineConfiguration configuration = new StandaloneProcessEngineConfiguration();
        configuration.setEngineName("bench-" + System.nanoTime());
        configuration.setDataSource(database.source());
        // It would otherwise take another database's tables on the same server for its own.
        configuration.setDatabaseCatalog(database.name);
        configuration.setDatabaseSchemaUpdate(AbstractEngineConfiguration.DB_SCHEMA_UPDATE_TRUE);
        configuration.setHistory("none");
        configuration.setDisableIdmEngine(true);
        configuration.setDisableEventRegistry(true);
        configuration.setBeans(Map.of("counter", counter));
        configuration.setCustomJobHandlers(List.of(counter));
        configuration.setAsyncExecutorActivate(false);
        configuration.setAsyncExecutorConfiguration(acquisition());
        configuration.setAsyncExecutorTaskExecutorConfiguration(workers());
        return configuration.buildProcessEngine();
    }

    private AsyncJobExecutorConfiguration acquisition() {
        Duration wait = Duration.ofMillis(options.number("acquisition-wait"));
        int page = options.number("page");
        AsyncJobExecutorConfiguration acquisition = new AsyncJobExecutorConfiguration();
        acquisition.setGlobalAcquireLockEnabled(true);
        acquisition.setAsyncJobsGlobalLockPollRate(wait);
        acquisition.setTimerLockPollRate(wait);
        acquisition.setMaxAsyncJobsDuePerAcquisition(page);
        acquisition.setMaxTimerJobsPerAcquisition(page);
        acquisition.setMoveTimerExecutorPoolSize(32);
        acquisition.setDefaultAsyncJobAcquireWaitTime(wait);
        acquisition.setDefaultTimerJobAcquireWaitTime(wait);
        acquisition.setDefaultQueueSizeFullWaitTime(wait);
        return acquisition;
    }

    private AsyncTaskExecutorConfiguration workers() {
        AsyncTaskExecutorConfiguration workers = new AsyncTaskExecutorConfiguration();
        workers.setCorePoolSize(options.number("workers"));
        workers.setMaxPoolSize(options.number("workers"));
        workers.setQueueSize(QUEUE);
        return workers;
    }

    private static ProcessEngineConfigurationImpl configuration(ProcessEngine engine) {
        return (ProcessEngineConfigurationImpl) engine.getProcessEngineConfiguration();
    }
}
