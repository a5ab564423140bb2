package jobstrand.spring;

import com.fasterxml.jackson.core.type.TypeReference;

import jobstrand.Handler;
import jobstrand.HandlerOptions;
import jobstrand.Job;
import jobstrand.JobstrandClient;
import jobstrand.Worker;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Runs the methods that are annotated with {@link JobHandler}, from when the app has started until
 * it stops: then running ones may end, and jobs that have not begun are given back.
 */
public class JobWorker implements SmartLifecycle {
    private final JobstrandClient client;
    private final JobstrandProperties.Worker settings;
    private final ApplicationContext context;
    private Worker worker;

    /** With the methods of the beans of a context. */
    public JobWorker(
            JobstrandClient client,
            JobstrandProperties.Worker settings,
            ApplicationContext context) {
        this.client = client;
        this.settings = settings;
        this.context = context;
    }

    @Override
    public synchronized void start() {
        Worker.Builder builder =
                Worker.builder(client)
                        .concurrency(settings.concurrency())
                        .lock(settings.lock())
                        .pollTimeout(settings.pollTimeout())
                        .grace(settings.grace());
        if (settings.name() != null) {
            builder.name(settings.name());
        }
        if (settings.tenantId() != null) {
            builder.tenantId(settings.tenantId());
        }
        boolean hasHandlers = false;
        for (String name : context.getBeanDefinitionNames()) {
            hasHandlers |= addHandlers(builder, name);
        }
        if (hasHandlers) {
            worker = builder.build();
            worker.start();
        }
    }

    @Override
    public synchronized void stop() {
        if (worker != null) {
            worker.close();
            worker = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }

    private boolean addHandlers(Worker.Builder builder, String name) {
        Class<?> type = context.getType(name, false);
        if (type == null) {
            return false;
        }
        MethodIntrospector.MetadataLookup<JobHandler> lookup =
                method -> AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class);
        Map<Method, JobHandler> found =
                new LinkedHashMap<>(MethodIntrospector.selectMethods(type, lookup));
        found.forEach(
                (method, said) -> {
                    HandlerOptions options = HandlerOptions.DEFAULT.weight(said.weight());
                    if (!said.timeout().isEmpty()) {
                        options = options.timeout(Duration.parse(said.timeout()));
                    }
                    builder.handle(said.value(), options, handlerOf(context.getBean(name), method));
                });
        return !found.isEmpty();
    }

    private static Handler handlerOf(Object bean, Method method) {
        Method callable = AopUtils.selectInvocableMethod(method, bean.getClass());
        callable.setAccessible(true);
        return job -> {
            try {
                callable.invoke(bean, argumentsOf(callable, job));
            } catch (InvocationTargetException error) {
                if (error.getCause() instanceof Error cause) {
                    throw cause;
                }
                throw (Exception) error.getCause();
            }
        };
    }

    private static Object[] argumentsOf(Method method, Job job) {
        Type[] types = method.getGenericParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int at = 0; at < types.length; ++at) {
            arguments[at] = types[at] == Job.class ? job : job.payload(new Payload(types[at]));
        }
        return arguments;
    }

    /** A type that is known only when the app runs. */
    private static final class Payload extends TypeReference<Object> {
        private final Type type;

        Payload(Type type) {
            this.type = type;
        }

        @Override
        public Type getType() {
            return type;
        }
    }
}
