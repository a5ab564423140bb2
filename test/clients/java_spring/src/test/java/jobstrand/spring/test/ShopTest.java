package jobstrand.spring.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jobstrand.Job;
import jobstrand.JobstrandClient;
import jobstrand.NewJob;
import jobstrand.spring.JobHandler;
import jobstrand.spring.JobWorker;
import jobstrand.spring.Jobs;
import jobstrand.spring.JobstrandAutoConfiguration;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.Transactional;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * An app with Spring Boot, on the service whose address and database are in the system properties
 * {@code jobstrand.url} and {@code spring.datasource.url}.
 */
@SpringBootTest(properties = "jobstrand.worker.poll-timeout=1s")
class ShopTest {
    private static final int PATIENCE_S = 60;

    record Order(int number) {}

    @SpringBootApplication
    static class Shop {
        @Bean
        Orders orders(JdbcTemplate jdbc, Jobs jobs) {
            return new Orders(jdbc, jobs);
        }

        @Bean
        Checkout checkout(JdbcTemplate jdbc, Jobs jobs) {
            jdbc.execute("CREATE TABLE IF NOT EXISTS ORDERS (ID INTEGER)");
            jdbc.execute("CREATE TABLE IF NOT EXISTS INVOICES (NUMBER INTEGER)");
            return new Checkout(jdbc, jobs);
        }

        @Bean
        Letters letters() {
            return new Letters();
        }
    }

    /** Which Spring wraps, so that its methods are transactional. */
    static class Orders {
        private final JdbcTemplate jdbc;
        private final Jobs jobs;

        Orders(JdbcTemplate jdbc, Jobs jobs) {
            this.jdbc = jdbc;
            this.jobs = jobs;
        }

        @Transactional
        public void place(int number, NewJob job) {
            jdbc.update("INSERT INTO ORDERS VALUES (?)", number);
            jobs.enqueue(job);
            if (number < 0) {
                throw new IllegalArgumentException("no such order");
            }
        }
    }

    static class Letters {
        private final BlockingQueue<Object> got = new LinkedBlockingQueue<>();

        @JobHandler("mail")
        public String mail(Order order, Job job) {
            got.add(order.number() + " by " + job.handlerType());
            return "which means nothing";
        }

        @JobHandler(value = "many", weight = 2, timeout = "PT1M")
        void many(List<Order> orders) {
            got.add(orders);
        }

        @JobHandler("bad")
        void bad() {
            throw new IllegalStateException("no paper");
        }
    }

    @Autowired private Orders orders;

    @Autowired private Letters letters;

    @Autowired private Jobs jobs;

    @Autowired private JobstrandClient client;

    private static NewJob mail(int number) {
        return NewJob.of("mail", new Order(number)).external();
    }

    private static void eventually(String what, BooleanSupplier isSo) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!isSo.getAsBoolean()) {
            assertTrue(System.nanoTime() < giveUp, () -> "not within its time: " + what);
            Thread.sleep(20);
        }
    }

    private Object next() throws InterruptedException {
        return letters.got.poll(PATIENCE_S, TimeUnit.SECONDS);
    }

    @Test
    void aJobIsHandledExactlyIfTheTransactionCommits() throws InterruptedException {
        assertThrows(IllegalArgumentException.class, () -> orders.place(-1, mail(-1)));
        orders.place(17, mail(17));
        assertEquals("17 by mail", next());
        orders.place(18, NewJob.of("many", List.of(new Order(18), new Order(19))).external());
        assertEquals(List.of(new Order(18), new Order(19)), next());
        assertTrue(letters.got.isEmpty());
    }

    @Test
    void theExampleOfTheDocumentsWorks(@Autowired Checkout checkout, @Autowired JdbcTemplate jdbc)
            throws InterruptedException {
        checkout.place(21);
        eventually(
                "the invoice is there",
                () -> jdbc.queryForList("SELECT NUMBER FROM INVOICES", Integer.class).contains(21));
    }

    @Test
    void whatTheDriverThrowsIsInSpringsWords() {
        NewJob later =
                NewJob.of("later")
                        .external()
                        .id("taken")
                        .due(Instant.parse("2099-01-01T00:00:00Z"));
        orders.place(1, later);
        assertThrows(DataAccessException.class, () -> orders.place(2, later));
    }

    @Test
    void withoutATransactionItIsRefused() {
        assertThrows(IllegalTransactionStateException.class, () -> jobs.enqueue(mail(1)));
    }

    @Test
    void aFailureIsThatOfTheMethod() throws InterruptedException {
        String id = client.enqueue(NewJob.of("bad").external().retries(1)).id();
        eventually(
                "it is dead",
                () -> client.get("/api/v1/jobs/" + id).path("place").asText().equals("dead"));
        assertEquals(
                "java.lang.IllegalStateException: no paper",
                client.get("/api/v1/jobs/" + id).path("exceptionMessage").asText());
    }

    @Test
    void anAppThatNamesNoServiceHasNoWorker() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(JobstrandAutoConfiguration.class))
                .withSystemProperties("jobstrand.url:")
                .run(context -> assertEquals(0, context.getBeansOfType(JobWorker.class).size()));
    }
}
