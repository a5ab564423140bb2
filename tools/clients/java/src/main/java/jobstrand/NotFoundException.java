package jobstrand;

import java.time.Duration;
import java.util.List;

/** There is no such thing, or there is not any more. */
public final class NotFoundException extends RefusedException {
    private static final long serialVersionUID = 1;

    NotFoundException(int status, String detail, List<String> errors, Duration retryAfter) {
        super(status, detail, errors, retryAfter);
    }
}
