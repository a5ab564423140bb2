package jobstrand;

import java.time.Duration;
import java.util.List;

/** An id or a key is taken, or the thing is in a state that does not allow it. */
public final class ConflictException extends RefusedException {
    private static final long serialVersionUID = 1;

    ConflictException(int status, String detail, List<String> errors, Duration retryAfter) {
        super(status, detail, errors, retryAfter);
    }
}
