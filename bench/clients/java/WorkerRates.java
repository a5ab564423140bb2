import jobstrand.JobstrandClient;
import jobstrand.Worker;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A worker in Java does JOBS empty jobs of the service at ORIGIN, and prints how many seconds that
 * took. Usage: WorkerRates ORIGIN JOBS
 */
public final class WorkerRates {
    private WorkerRates() {}

    public static void main(String[] arguments) throws InterruptedException {
        long jobs = Long.parseLong(arguments[1]);
        AtomicLong ended = new AtomicLong();
        CountDownLatch all = new CountDownLatch(1);
        Worker worker =
                Worker.builder(JobstrandClient.of(arguments[0]))
                        .concurrency(4)
                        .handle(
                                "rate",
                                job -> {
                                    if (ended.incrementAndGet() == jobs) {
                                        all.countDown();
                                    }
                                })
                        .build();
        long begun = System.nanoTime();
        worker.start();
        all.await();
        worker.close();
        System.out.printf("{\"seconds\": %f}%n", (System.nanoTime() - begun) / 1e9);
    }
}
