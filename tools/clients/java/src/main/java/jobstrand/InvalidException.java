package jobstrand;

import java.time.Duration;
import java.util.List;

/** What was asked for cannot be meant so; nothing was changed. */
public final class InvalidException extends RefusedException {
    private static final long serialVersionUID = 1;

    InvalidException(int status, String detail, List<String> errors, Duration retryAfter) {
        super(status, detail, errors, retryAfter);
    }
}
