package jobstrand;

/**
 * A job that is to be replaced has begun to run, or has ended while its unique key goes on to hold.
 */
public final class KeyHeldException extends JobstrandException {
    private static final long serialVersionUID = 1;

    KeyHeldException(String message) {
        super(message, null);
    }
}
