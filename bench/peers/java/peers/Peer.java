package peers;

import java.util.Map;

/** A job system that is measured. One object is used for all repetitions, by one thread. */
interface Peer extends AutoCloseable {
    String name();

    /** The Maven artifact that is measured; its jar tells the version. */
    Class<?> library();

    /** What it was told beyond the common options. */
    Map<String, String> settings();

    /** Creates the tables. */
    void open() throws Exception;

    /** Enqueues jobs in bulk, which are to report their runs to the ledger; nothing runs yet. */
    void enqueue(int jobs, Ledger ledger) throws Exception;

    /** Where the jobs are. */
    String[] tables();

    /** Whether nothing is left to do. */
    default boolean isDone(Database watched) throws Exception {
        return watched.isEmpty(tables());
    }

    /** From now on jobs are run. */
    void start() throws Exception;

    /** Nothing runs any more. */
    void stop() throws Exception;

    /** Makes room for the next repetition. */
    default void clear() throws Exception {
    }

    @Override
    void close() throws Exception;
}
