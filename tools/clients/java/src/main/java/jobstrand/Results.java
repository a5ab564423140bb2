package jobstrand;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The queue of what is to be told. */
final class Results {
    /** With one more result the request is still shorter than the service takes. */
    private static final int BYTES_PER_REQUEST = 4 * 1024 * 1024;

    private final Deque<Result> waiting = new ArrayDeque<>();
    private boolean isClosed;

    synchronized void add(Result result) {
        waiting.add(result);
        notifyAll();
    }

    /** Nothing comes any more. */
    synchronized void close() {
        isClosed = true;
        notifyAll();
    }

    /** Waits for what one request tells; empty: that was all. */
    synchronized List<Result> next() throws InterruptedException {
        while (waiting.isEmpty() && !isClosed) {
            wait();
        }
        List<Result> following = new ArrayList<>();
        for (int size = 0; size < BYTES_PER_REQUEST && following.size() < Desk.JOBS_PER_REQUEST; ) {
            Result one = waiting.poll();
            if (one == null) {
                break;
            }
            following.add(one);
            size += one.text().length;
        }
        return following;
    }
}
