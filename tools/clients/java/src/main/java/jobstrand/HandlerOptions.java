package jobstrand;

import java.time.Duration;

/** Options of one handler of a worker: {@code HandlerOptions.DEFAULT.weight(3)}. */
public final class HandlerOptions {
    /** A weight of 1, and no timeout. */
    public static final HandlerOptions DEFAULT = new HandlerOptions(1, null);

    private final int weight;
    private final Duration timeout;

    private HandlerOptions(int weight, Duration timeout) {
        this.weight = weight;
        this.timeout = timeout;
    }

    /**
     * The weight of a topic among those of the worker: while each has jobs, one of weight 3 gets
     * three times the places of one of weight 1. All of the same: the jobs come in their order,
     * whatever their topic.
     */
    public HandlerOptions weight(int weight) {
        if (weight < 1) {
            throw new IllegalArgumentException("weight must be at least 1");
        }
        return new HandlerOptions(weight, timeout);
    }

    /**
     * Gives up a handler that runs for longer: its attempt has failed, and its thread is
     * interrupted. Its place is free when it returns.
     */
    public HandlerOptions timeout(Duration timeout) {
        return new HandlerOptions(weight, Json.positive(timeout, "timeout"));
    }

    int weight() {
        return weight;
    }

    /** Null: there is none. */
    Duration timeout() {
        return timeout;
    }
}
