package jobstrand.spring;

import com.fasterxml.jackson.databind.ObjectMapper;

import jobstrand.JobstrandClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcOperations;

/** Client, transaction and worker; each backs off where the app has its own. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration"
        })
@EnableConfigurationProperties(JobstrandProperties.class)
public class JobstrandAutoConfiguration {
    /** Of the service that the settings name. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty("jobstrand.url")
    public JobstrandClient jobstrandClient(
            JobstrandProperties settings, ObjectProvider<ObjectMapper> mapper) {
        JobstrandClient.Builder builder =
                JobstrandClient.builder(settings.url())
                        .token(settings.token())
                        .timeout(settings.timeout());
        mapper.ifUnique(builder::objectMapper);
        return builder.build();
    }

    /** Runs the methods that are annotated, while the app does. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(JobstrandClient.class)
    @ConditionalOnProperty(value = "jobstrand.worker.enabled", matchIfMissing = true)
    public JobWorker jobstrandWorker(
            JobstrandClient client, JobstrandProperties settings, ApplicationContext context) {
        return new JobWorker(client, settings.worker(), context);
    }

    /** For apps with a DataSource. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JdbcOperations.class)
    static class Transactional {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnSingleCandidate(JdbcOperations.class)
        Jobs jobs(JdbcOperations jdbc, ObjectProvider<ObjectMapper> mapper) {
            return new Jobs(jdbc, mapper.getIfUnique());
        }
    }
}
