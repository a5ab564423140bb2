package jobstrand;

/** No answer came from the service. What was asked for may have been done all the same. */
public final class UnreachableException extends JobstrandException {
    private static final long serialVersionUID = 1;

    UnreachableException(String address, Throwable cause) {
        super("no answer from " + address + ": " + cause, cause);
    }
}
