package jobstrand;

/** Does jobs of one type. */
@FunctionalInterface
public interface Handler {
    /**
     * Does a job, which is done when this returns. What it throws has failed the attempt: the job
     * comes again as its retry cycle says, and is a dead letter after its last attempt. {@link
     * JobFailedException} says how it goes on, {@link BusinessErrorException} ends it with an error
     * for the app.
     *
     * <p>When the job is to end, the thread is interrupted, and {@link Job#cancellation()} says
     * why.
     */
    void handle(Job job) throws Exception;
}
