import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flowable.external.client.AcquiredExternalWorkerJob;
import org.flowable.external.client.ExternalWorkerClient;
import org.flowable.external.client.impl.JavaHttpClientRestInvoker;
import org.flowable.external.client.impl.RestExternalWorkerClient;

/**
 * Flowable's own client, unmodified, does JOBS jobs of the service at ORIGIN; which of them go wrong, their numbers say. The last
 * line that it prints is what it counted. Usage: java FlowableWorker.java ORIGIN JOBS SECONDS
 */
public class FlowableWorker {
    private static final int WORKERS = 4;

    private final Map<Integer, Integer> runs = new ConcurrentHashMap<>();
    private final Set<Integer> ended = ConcurrentHashMap.newKeySet();

    public static void main(String[] arguments) throws Exception {
        int jobs = Integer.parseInt(arguments[1]);
        Instant giveUp = Instant.now().plusSeconds(Integer.parseInt(arguments[2]));
        FlowableWorker worker = new FlowableWorker();
        List<Callable<Void>> loops = new ArrayList<>();
        for (int i = 0; i < WORKERS; ++i) {
            ExternalWorkerClient client = RestExternalWorkerClient.create(
                    "java-worker-" + i, JavaHttpClientRestInvoker.withoutAuthentication(arguments[0] + "/external-job-api"));
            loops.add(() -> worker.work(client, jobs, giveUp));
        }
        ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        List<Future<Void>> done = threads.invokeAll(loops);
        threads.shutdown();
        for (Future<Void> loop : done) {
            loop.get();
        }
        int allRuns = worker.runs.values().stream().mapToInt(Integer::intValue).sum();
        System.out.printf("{\"ended\": %d, \"runs\": %d}%n", worker.ended.size(), allRuns);
    }

    private Void work(ExternalWorkerClient client, int jobs, Instant giveUp) throws InterruptedException {
        while (ended.size() < jobs && Instant.now().isBefore(giveUp)) {
            List<AcquiredExternalWorkerJob> acquired = client.createJobAcquireBuilder()
                    .topic("invoice")
                    .lockDuration(Duration.ofMinutes(1))
                    .numberOfTasks(20)
                    .acquireAndLock();
            for (AcquiredExternalWorkerJob job : acquired) {
                run(client, job);
            }
            if (acquired.isEmpty()) {
                Thread.sleep(20);  // The client has no way to wait for jobs.
            }
        }
        return null;
    }

    private void run(ExternalWorkerClient client, AcquiredExternalWorkerJob job) {
        int number = (Integer) job.getVariables().get("n");
        boolean isFirst = runs.merge(number, 1, Integer::sum) == 1;
        if (!isFirst || !failsOnce(client, job, number)) {
            end(client, job, number);
            ended.add(number);
        }
    }

    private static boolean failsOnce(ExternalWorkerClient client, AcquiredExternalWorkerJob job, int number) {
        switch (number % 10) {
            case 0 -> client.createFailureBuilder(job).message("once").details("a trace").fail();
            case 1 -> client.createFailureBuilder(job).message("again").retries(1).retryTimeout(Duration.ofMillis(20)).fail();
            case 2 -> client.createFailureBuilder(job).error(new IllegalStateException("the handler broke")).fail();
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void end(ExternalWorkerClient client, AcquiredExternalWorkerJob job, int number) {
        switch (number % 10) {
            case 3 -> client.createFailureBuilder(job).message("never").retries(0).fail();
            case 4 -> client.createCompletionBuilder(job)
                    .variable("total", number)
                    .variable("at", Instant.EPOCH)
                    .convertAndAddJsonVariable("lines", List.of(1, Map.of("a", "ä")))
                    .complete();
            case 5 -> client.createCompletionBuilder(job).variable("why", "so").bpmnError("E1");
            default -> client.createCompletionBuilder(job).complete();
        }
    }
}
