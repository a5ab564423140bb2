package interop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowable.common.engine.api.FlowableOptimisticLockingException;
import org.flowable.common.engine.impl.AbstractEngineConfiguration;
import org.flowable.engine.ManagementService;
import org.flowable.engine.ProcessEngine;
import org.flowable.engine.RuntimeService;
import org.flowable.engine.impl.cfg.ProcessEngineConfigurationImpl;
import org.flowable.engine.impl.cfg.StandaloneProcessEngineConfiguration;
import org.flowable.job.service.impl.asyncexecutor.AsyncJobExecutorConfiguration;

/**
 * A process engine that does what lines on stdin say, one command each, and answers each with one line on stdout: `ok`
 * and what is asked for, or `error` and its class and message. The tests are in Python; here is only what Flowable
 * itself has to do.
 */
public final class Engine {
    private final ProcessEngine engine;
    private final Counter counter = new Counter();
    private final RuntimeService runtime;
    private final ManagementService management;

    /** Arguments: JDBC URL, user, password, the catalog on MySQL or an empty text. */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);  // What libraries print is none of our answers.
        Engine self;
        try {
            self = new Engine(arguments);
        } catch (RuntimeException error) {
            error.printStackTrace();
            out.println("error " + oneLine(error));
            return;
        }
        out.println("ok " + ProcessEngine.VERSION);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(self.answer(line.trim().split(" ")));
        }
        self.engine.close();
    }

    private Engine(String[] arguments) {
        StandaloneProcessEngineConfiguration configuration = new StandaloneProcessEngineConfiguration();
        configuration.setJdbcUrl(arguments[0]);
        configuration.setJdbcDriver(
                arguments[0].startsWith("jdbc:mariadb") ? "org.mariadb.jdbc.Driver" : "org.postgresql.Driver");
        configuration.setJdbcUsername(arguments[1]);
        configuration.setJdbcPassword(arguments[2]);
        configuration.setJdbcMaxActiveConnections(32);
        configuration.setJdbcMaxIdleConnections(32);
        if (!arguments[3].isEmpty()) {
            configuration.setDatabaseCatalog(arguments[3]);
        }
        configuration.setDatabaseSchemaUpdate(AbstractEngineConfiguration.DB_SCHEMA_UPDATE_TRUE);
        configuration.setDisableIdmEngine(true);
        configuration.setDisableEventRegistry(true);
        configuration.setHistory("none");
        configuration.setBeans(Map.of("counter", counter));
        configuration.setAsyncFailedJobWaitTime(1);
        configuration.setDefaultFailedJobWaitTime(1);
        configuration.setAsyncExecutorActivate(false);
        configuration.setAsyncExecutorConfiguration(acquisition());
        engine = configuration.buildProcessEngine();
        runtime = engine.getRuntimeService();
        management = engine.getManagementService();
        engine.getRepositoryService().createDeployment().enableDuplicateFiltering().name("interop")
                .addClasspathResource("interop.bpmn20.xml").deploy();
    }

    private static AsyncJobExecutorConfiguration acquisition() {
        AsyncJobExecutorConfiguration acquisition = new AsyncJobExecutorConfiguration();
        acquisition.setDefaultAsyncJobAcquireWaitTime(Duration.ofMillis(200));
        acquisition.setDefaultTimerJobAcquireWaitTime(Duration.ofMillis(200));
        acquisition.setDefaultQueueSizeFullWaitTime(Duration.ofMillis(100));
        acquisition.setResetExpiredJobsInterval(Duration.ofSeconds(2));
        return acquisition;
    }

    private String answer(String[] words) {
        try {
            Object result = run(words[0], Arrays.copyOfRange(words, 1, words.length));
            return ("ok " + (result == null ? "" : result)).trim();
        } catch (RuntimeException error) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            System.err.println(trace);
            return "error " + oneLine(error);
        }
    }

    private static String oneLine(Throwable error) {
        return (error.getClass().getSimpleName() + " " + error.getMessage()).replaceAll("\\s+", " ");
    }

    private Object run(String command, String[] rest) {
        switch (command) {
            case "executor":
                setExecutor(rest[0].equals("on"));
                return null;
            case "start":
                return String.join(" ", start(rest[0], Integer.parseInt(rest[1]), rest.length > 2 ? rest[2] : "PT1S"));
            case "runs":
                return counter.of(rest[0]);
            case "all-runs":
                return summary();
            case "delete":
                runtime.deleteProcessInstance(rest[0], "test");
                return null;
            case "delete-all":
                return deleteAll();
            case "suspend":
                runtime.suspendProcessInstanceById(rest[0]);
                return null;
            case "activate":
                runtime.activateProcessInstanceById(rest[0]);
                return null;
            case "fix":
                runtime.setVariable(rest[0], "fixed", true);
                return null;
            default:
                return manage(command, rest);
        }
    }

    private Object manage(String command, String[] rest) {
        switch (command) {
            case "fire-timer":
                return management.moveTimerToExecutableJob(rest[0]).getId();
            case "bury":
                return management.moveJobToDeadLetterJob(rest[0]).getId();
            case "requeue":
                return management.moveDeadLetterJobToExecutableJob(rest[0], Integer.parseInt(rest[1])).getId();
            case "set-retries":
                management.setJobRetries(rest[0], Integer.parseInt(rest[1]));
                return null;
            case "execute":
                management.executeJob(rest[0]);
                return null;
            case "delete-job":
                management.deleteJob(rest[0]);
                return null;
            case "delete-dead":
                management.deleteDeadLetterJob(rest[0]);
                return null;
            case "stacktrace":
                return String.valueOf(management.getDeadLetterJobExceptionStacktrace(rest[0])).lines().findFirst()
                        .orElse("");
            case "count":
                return count(rest[0]);
            default:
                throw new IllegalArgumentException("no command " + command);
        }
    }

    private long count(String place) {
        switch (place) {
            case "executable":
                return management.createJobQuery().count();
            case "timer":
                return management.createTimerJobQuery().count();
            case "suspended":
                return management.createSuspendedJobQuery().count();
            case "dead":
                return management.createDeadLetterJobQuery().count();
            case "external":
                return management.createExternalWorkerJobQuery().count();
            default:
                throw new IllegalArgumentException("no place " + place);
        }
    }

    private void setExecutor(boolean on) {
        var executor = ((ProcessEngineConfigurationImpl) engine.getProcessEngineConfiguration()).getAsyncExecutor();
        if (on) {
            executor.start();
            return;
        }
        try {
            executor.shutdown();
        } catch (FlowableOptimisticLockingException jobHasEnded) {
            // It frees all its jobs in one transaction, and one that ends meanwhile rolls that back.
            System.err.println("executor off: " + jobHasEnded.getMessage());
        }
    }

    private List<String> start(String key, int instances, String due) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < instances; ++i) {
            ids.add(runtime.startProcessInstanceByKey(key, Map.of("due", due, "fixed", false)).getId());
        }
        return ids;
    }

    /** How many instances have worked how often: `1=200 3=7`. */
    private String summary() {
        Map<Integer, Integer> instances = new TreeMap<>();
        counter.all().values().forEach(runs -> instances.merge(runs, 1, Integer::sum));
        StringBuilder text = new StringBuilder();
        instances.forEach((runs, count) -> text.append(runs).append('=').append(count).append(' '));
        return text.toString().trim();
    }

    private int deleteAll() {
        List<String> ids = new ArrayList<>();
        runtime.createProcessInstanceQuery().list().forEach(instance -> ids.add(instance.getId()));
        ids.forEach(id -> runtime.deleteProcessInstance(id, "test"));
        return ids.size();
    }
}
