package jobstrand;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The answer of a service that said no: one of the subclasses, or this for the other codes of HTTP.
 */
public class RefusedException extends JobstrandException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String detail;
    private final ArrayList<String> errors;
    private final Duration retryAfter;

    RefusedException(int status, String detail, List<String> errors, Duration retryAfter) {
        super(errors.isEmpty() ? detail : detail + ": " + String.join("; ", errors), null);
        this.status = status;
        this.detail = detail;
        this.errors = new ArrayList<>(errors);
        this.retryAfter = retryAfter;
    }

    /** Of the kind that the status tells. */
    static RefusedException of(
            int status, String detail, List<String> errors, Duration retryAfter) {
        return switch (status) {
            case 400, 413, 422 -> new InvalidException(status, detail, errors, retryAfter);
            case 401, 403 -> new NotAllowedException(status, detail, errors, retryAfter);
            case 404 -> new NotFoundException(status, detail, errors, retryAfter);
            case 409 -> new ConflictException(status, detail, errors, retryAfter);
            case 503 -> new OverloadedException(status, detail, errors, retryAfter);
            default -> new RefusedException(status, detail, errors, retryAfter);
        };
    }

    /** The status code of HTTP. */
    public int status() {
        return status;
    }

    /** A sentence. */
    public String detail() {
        return detail;
    }

    /** One for each thing that is wrong. */
    public List<String> errors() {
        return Collections.unmodifiableList(errors);
    }

    /** After which it is worth asking again, when the service says so. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
