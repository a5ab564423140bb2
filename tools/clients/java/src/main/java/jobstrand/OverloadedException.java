package jobstrand;

import java.time.Duration;
import java.util.List;

/** It was too much at once, or the database is away: ask again later. */
public final class OverloadedException extends RefusedException {
    private static final long serialVersionUID = 1;

    OverloadedException(int status, String detail, List<String> errors, Duration retryAfter) {
        super(status, detail, errors, retryAfter);
    }
}
