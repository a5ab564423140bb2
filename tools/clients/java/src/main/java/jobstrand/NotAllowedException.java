package jobstrand;

import java.time.Duration;
import java.util.List;

/** There was no token, or one that does not allow it. */
public final class NotAllowedException extends RefusedException {
    private static final long serialVersionUID = 1;

    NotAllowedException(int status, String detail, List<String> errors, Duration retryAfter) {
        super(status, detail, errors, retryAfter);
    }
}
