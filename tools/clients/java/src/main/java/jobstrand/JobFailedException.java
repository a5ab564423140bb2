package jobstrand;

import java.time.Duration;

/**
 * Thrown by a handler that wants to say how its failed attempt goes on. Whatever else it throws
 * fails the attempt too, as the job's retry cycle says.
 */
public class JobFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Duration retryAfter;
    private Integer retries;
    private String details;

    public JobFailedException(String message) {
        super(message);
    }

    public JobFailedException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Has the job wait for so long. */
    public JobFailedException retryAfter(Duration wait) {
        retryAfter = Json.notNegative(wait, "retryAfter");
        return this;
    }

    /** Leaves so many attempts; none: the job is a dead letter. */
    public JobFailedException retries(int left) {
        if (left < 0) {
            throw new IllegalArgumentException("retries must not be negative");
        }
        retries = left;
        return this;
    }

    /** Stands in place of the stack trace. */
    public JobFailedException details(String text) {
        details = text;
        return this;
    }

    Duration retryAfter() {
        return retryAfter;
    }

    Integer retries() {
        return retries;
    }

    String details() {
        return details;
    }
}
