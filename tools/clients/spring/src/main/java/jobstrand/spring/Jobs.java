package jobstrand.spring;

import com.fasterxml.jackson.databind.ObjectMapper;

import jobstrand.JdbcJobs;
import jobstrand.NewJob;

import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Adds jobs in the transaction that the calling thread is in, of the app's own DataSource. */
public class Jobs {
    private final JdbcOperations jdbc;
    private final ObjectMapper mapper;

    /**
     * Of a DataSource.
     *
     * @param mapper writes payloads; null: one with the modules that are there
     */
    public Jobs(JdbcOperations jdbc, ObjectMapper mapper) {
        this.jdbc = jdbc;
        this.mapper = mapper;
    }

    /**
     * Adds a job, which is there exactly if the transaction commits.
     *
     * @return its id; that of the job which has the unique key already, if that is kept
     * @throws org.springframework.dao.DataAccessException what the driver throws, in Spring's words
     * @throws IllegalTransactionStateException there is no transaction
     * @see JdbcJobs#enqueue(java.sql.Connection, NewJob)
     */
    public String enqueue(NewJob job) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException(
                    "a job is enqueued in a transaction, and there is none: is the method"
                            + " @Transactional?");
        }
        ConnectionCallback<String> add =
                connection ->
                        mapper == null
                                ? JdbcJobs.enqueue(connection, job)
                                : JdbcJobs.enqueue(connection, job, mapper);
        return jdbc.execute(add);
    }
}
