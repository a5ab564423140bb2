package jobstrand;

/** Why a handler is to end, as {@link Job#cancellation()} tells it. */
public enum Cancellation {
    /** The job was cancelled or its lock lost: what becomes of it here does not count. */
    LOST,
    /** The handler ran for longer than its timeout; the attempt has failed. */
    TIME_LIMIT,
    /**
     * The worker was closed and its grace is over. The job of a handler that throws now is given
     * back.
     */
    STOPPED
}
