import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.camunda.bpm.client.ExternalTaskClient;
import org.camunda.bpm.client.task.ExternalTask;
import org.camunda.bpm.client.task.ExternalTaskService;

/**
 * Camunda's own client, unmodified and with its defaults, does JOBS jobs of the service at ORIGIN; which of them go wrong, their
 * numbers say. The last line that it prints has the numbers in the order in which they were first run, and those of all runs.
 * Usage: java CamundaWorker.java ORIGIN JOBS SECONDS
 */
public class CamundaWorker {
    private final List<Integer> firstRuns = new ArrayList<>();
    private final CountDownLatch rest;
    private int runs;

    CamundaWorker(int jobs) {
        rest = new CountDownLatch(jobs);
    }

    public static void main(String[] arguments) throws Exception {
        CamundaWorker worker = new CamundaWorker(Integer.parseInt(arguments[1]));
        ExternalTaskClient client = ExternalTaskClient.create().baseUrl(arguments[0] + "/engine-rest").build();
        client.subscribe("invoice").handler(worker::run).open();
        worker.rest.await(Integer.parseInt(arguments[2]), TimeUnit.SECONDS);
        client.stop();
        String order = worker.firstRuns.stream().map(String::valueOf).collect(Collectors.joining(","));
        System.out.printf("{\"order\": [%s], \"runs\": %d}%n", order, worker.runs);
    }

    /** The client has one thread. */
    private void run(ExternalTask task, ExternalTaskService service) {
        int number = task.getVariable("n");
        runs += 1;
        boolean isFirst = !firstRuns.contains(number);
        if (isFirst) {
            firstRuns.add(number);
        }
        if (isFirst && number % 10 == 0) {
            service.handleFailure(task, "once", "a trace", 2, 20);
            return;
        }
        if (number % 10 == 1) {
            service.handleFailure(task, "never", "a trace", 0, 0);
        } else if (number % 10 == 2) {
            service.handleBpmnError(task, "E1", "because");
        } else if (number % 10 == 3) {
            service.extendLock(task, 90_000);
            service.complete(task, java.util.Map.of("total", number));
        } else if (number % 10 == 4) {
            service.handleFailure(task, "too early", "a trace", 1, 60_000);
            service.complete(task);
        } else {
            service.complete(task);
        }
        rest.countDown();
    }
}
