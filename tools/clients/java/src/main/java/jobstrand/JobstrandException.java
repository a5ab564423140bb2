package jobstrand;

/** What is thrown by this package. */
public abstract class JobstrandException extends RuntimeException {
    private static final long serialVersionUID = 1;

    JobstrandException(String message, Throwable cause) {
        super(message, cause);
    }
}
