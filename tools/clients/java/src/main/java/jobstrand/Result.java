package jobstrand;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * What became of a job, in JSON: each for itself, so that none can spoil another.
 *
 * @param job whose result it is
 * @param text what the service is told
 */
record Result(Job job, byte[] text) {
    /** Of a stack trace: its beginning, where the newest call stands. */
    private static final int MOST_DETAILS = 50_000;

    /** Of a message, in bytes; the service keeps less. */
    private static final int MOST_MESSAGE = 10_000;

    /** Of what is told of a job, which is what the service takes as a payload. */
    private static final int MOST_BYTES = 8 * 1024 * 1024;

    /** The handler has returned (null), or thrown this. */
    static Result of(Job job, Throwable failure) {
        try {
            byte[] text = failure == null ? completed(job) : Json.bytes(failed(job, failure));
            if (text.length <= MOST_BYTES) {
                return new Result(job, text);
            }
            String reason =
                    "it is " + text.length + " bytes long, and at most " + MOST_BYTES + " are told";
            return untold(
                    job,
                    failure == null
                            ? "the variables cannot be told: " + reason
                            : untellable(failure, reason));
        } catch (Exception | StackOverflowError reason) {
            return untold(job, untellable(failure, textOf(reason)));
        }
    }

    /** Its own result could not be told. */
    static Result untold(Job job, String message) {
        return new Result(
                job,
                Json.bytes(about(job, "fail").put("message", Json.cut(message, MOST_MESSAGE))));
    }

    private static String untellable(Throwable failure, String reason) {
        return failure == null
                ? reason
                : textOf(failure) + " (which cannot be told as it is: " + reason + ")";
    }

    private static ObjectNode about(Job job, String outcome) {
        return Json.PROTOCOL
                .createObjectNode()
                .put("id", job.id())
                .put("revision", job.revision())
                .put("outcome", outcome);
    }

    /** Most jobs end so: without a tree of nodes, and without an outcome. */
    private static byte[] completed(Job job) {
        StringBuilder text = new StringBuilder(128).append("{\"id\":\"");
        if (isPlain(job.id())) {
            text.append(job.id());
        } else {
            JsonStringEncoder.getInstance().quoteAsString(job.id(), text);
        }
        text.append("\",\"revision\":").append(job.revision());
        if (job.variables() != null) {
            text.append(",\"variables\":").append(job.variables());
        }
        return text.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    /** JSON says it as it is. */
    private static boolean isPlain(String text) {
        for (int at = 0; at < text.length(); ++at) {
            char letter = text.charAt(at);
            if (letter < ' ' || letter == '"' || letter == '\\') {
                return false;
            }
        }
        return true;
    }

    private static ObjectNode failed(Job job, Throwable failure) {
        BusinessErrorException business = causeOf(failure, BusinessErrorException.class);
        if (business != null) {
            ObjectNode said = about(job, "error").put("errorCode", business.code());
            if (business.getMessage() != null) {
                said.put("message", Json.cut(business.getMessage(), MOST_MESSAGE));
            }
            if (!business.variables().isEmpty()) {
                String variables = Json.textOf(job.mapper(), business.variables(), "the variables");
                said.putRawValue("variables", new RawValue(variables));
            }
            return said;
        }
        JobFailedException fail = causeOf(failure, JobFailedException.class);
        boolean isItself = fail != null && fail == failure;
        ObjectNode said =
                about(job, "fail")
                        .put(
                                "message",
                                Json.cut(
                                        isItself ? messageOf(fail) : textOf(failure), MOST_MESSAGE))
                        .put("details", stackOf(failure));
        if (fail != null) {
            tellHowItGoesOn(said, fail);
        }
        String lines = job.news().text();
        String details = said.path("details").asText() + (lines.isEmpty() ? "" : "\n" + lines);
        said.put("details", Json.cut(details, MOST_DETAILS));
        return said;
    }

    private static void tellHowItGoesOn(ObjectNode said, JobFailedException fail) {
        if (fail.details() != null) {
            said.put("details", fail.details());
        }
        if (fail.retryAfter() != null) {
            said.put("retryAfter", Json.text(fail.retryAfter()));
        }
        if (fail.retries() != null) {
            said.put("retries", fail.retries());
        }
    }

    /** The outermost of a class among an exception and its causes; null: there is none. */
    private static <T extends Throwable> T causeOf(Throwable failure, Class<T> type) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable cause = failure;
                cause != null && seen.add(cause);
                cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }

    /**
     * Class and message, as the first line of a stack trace has them; bears an exception whose own
     * text is the bug.
     */
    private static String textOf(Throwable failure) {
        try {
            return failure.toString();
        } catch (Exception | StackOverflowError bug) {
            return failure.getClass().getName();
        }
    }

    private static String messageOf(JobFailedException fail) {
        return fail.getMessage() == null ? textOf(fail) : fail.getMessage();
    }

    /** With its causes and what was suppressed. */
    private static String stackOf(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text, true));
        } catch (Exception | StackOverflowError bug) {
            text.write("the stack cannot be told: " + bug.getClass().getName());
        }
        return text.toString();
    }
}
