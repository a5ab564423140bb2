package interop;

import java.time.Duration;
import java.util.Map;
import org.flowable.engine.RuntimeService;
import org.flowable.engine.delegate.DelegateExecution;
import org.flowable.job.service.impl.asyncexecutor.AsyncJobExecutorConfiguration;
import org.flowable.spring.SpringProcessEngineConfiguration;
import org.flowable.spring.boot.EngineConfigurationConfigurer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * A process engine with its REST application, as Spring Boot starts it. What else is here: the bean that the models
 * call, a way to start many instances at once, and the settings of its own executor for the comparison.
 */
@SpringBootApplication
public class RestEngine {
    public static void main(String[] arguments) {
        SpringApplication.run(RestEngine.class, arguments);
    }

    /** The bean of the models: it does nothing, and the rows tell that it has been called. */
    public static final class Counter {
        public boolean ran(DelegateExecution execution) {
            return true;
        }

        public boolean failsUnless(DelegateExecution execution, boolean fixed) {
            if (!fixed) {
                throw new IllegalStateException("not fixed yet");
            }
            return true;
        }
    }

    @Bean
    public Counter counter() {
        return new Counter();
    }

    @RestController
    public static class Starter {
        private final RuntimeService runtime;

        public Starter(RuntimeService runtime) {
            this.runtime = runtime;
        }

        @PostMapping("/start")
        public int start(@RequestParam String key, @RequestParam int count, @RequestParam String due) {
            for (int i = 0; i < count; ++i) {
                runtime.startProcessInstanceByKey(key, Map.of("due", due, "fixed", false));
            }
            return count;
        }
    }

    /** Its own executor as fast as its settings make it: large pages, short waits, and no acquisition against another's. */
    @Bean
    public EngineConfigurationConfigurer<SpringProcessEngineConfiguration> executor(
            @Value("${own.threads:32}") int threads, @Value("${own.page:2048}") int page, @Value("${own.wait-ms:50}") int waitMs) {
        Duration wait = Duration.ofMillis(waitMs);
        return configuration -> {
            AsyncJobExecutorConfiguration acquisition = configuration.getAsyncExecutorConfiguration() == null
                    ? new AsyncJobExecutorConfiguration() : configuration.getAsyncExecutorConfiguration();
            acquisition.setGlobalAcquireLockEnabled(true);
            acquisition.setAsyncJobsGlobalLockPollRate(wait);
            acquisition.setTimerLockPollRate(wait);
            acquisition.setMaxAsyncJobsDuePerAcquisition(page);
            acquisition.setMaxTimerJobsPerAcquisition(page);
            acquisition.setMoveTimerExecutorPoolSize(32);
            acquisition.setDefaultAsyncJobAcquireWaitTime(wait);
            acquisition.setDefaultTimerJobAcquireWaitTime(wait);
            acquisition.setDefaultQueueSizeFullWaitTime(wait);
            configuration.setAsyncExecutorConfiguration(acquisition);
            configuration.setAsyncExecutor(null);
            configuration.setAsyncTaskExecutor(null);
            configuration.setAsyncExecutorTaskExecutorConfiguration(workers(threads, 2 * page));
        };
    }

    private static org.flowable.common.engine.impl.async.AsyncTaskExecutorConfiguration workers(int threads, int queue) {
        var workers = new org.flowable.common.engine.impl.async.AsyncTaskExecutorConfiguration();
        workers.setCorePoolSize(threads);
        workers.setMaxPoolSize(threads);
        workers.setQueueSize(queue);
        return workers;
    }
}
