package jobstrand.spring.test;

import jobstrand.Job;
import jobstrand.NewJob;
import jobstrand.spring.JobHandler;
import jobstrand.spring.Jobs;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Checkout {
    record Order(int number) {}

    private final JdbcTemplate jdbc;
    private final Jobs jobs;

    Checkout(JdbcTemplate jdbc, Jobs jobs) {
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

    @Transactional
    public void place(int number) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", number);
        jobs.enqueue(NewJob.of("invoice", new Order(number)).external());
    }

    @JobHandler(value = "invoice", weight = 3, timeout = "PT1M")
    void invoice(Order order, Job job) {
        jdbc.update("INSERT INTO invoices (number) VALUES (?)", order.number());
    }
}
