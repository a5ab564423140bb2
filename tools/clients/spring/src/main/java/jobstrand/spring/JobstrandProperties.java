package jobstrand.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import java.time.Duration;

/**
 * Settings of the app: {@code jobstrand.url} and the like.
 *
 * @param url the address of the service; without it there is neither client nor worker
 * @param token that the service asks for
 * @param timeout for each answer
 * @param worker settings of the worker
 */
@ConfigurationProperties("jobstrand")
public record JobstrandProperties(
        String url,
        String token,
        @DefaultValue("30s") Duration timeout,
        @DefaultValue Worker worker) {
    /**
     * Settings of the worker.
     *
     * @param enabled false: another process of the app does the work
     * @param name unique among all workers; made up if nothing is said
     * @param concurrency how many handlers run at once
     * @param lock how long a job is locked, which is prolonged while it is held
     * @param pollTimeout how long one request waits for jobs
     * @param grace for running handlers when the app stops, before they are interrupted
     * @param tenantId has it take only the jobs of a tenant
     */
    public record Worker(
            @DefaultValue("true") boolean enabled,
            String name,
            @DefaultValue("8") int concurrency,
            @DefaultValue("5m") Duration lock,
            @DefaultValue("5s") Duration pollTimeout,
            @DefaultValue("30s") Duration grace,
            String tenantId) {}
}
