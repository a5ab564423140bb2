package jobstrand;

import java.util.Map;
import java.util.Objects;

/**
 * Thrown by a handler whose work is done, and ended in an error of this code, which is handed on to
 * the app.
 */
public class BusinessErrorException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;
    private final transient Map<String, ?> variables;

    public BusinessErrorException(String code, String message) {
        this(code, message, Map.of());
    }

    public BusinessErrorException(String code, String message, Map<String, ?> variables) {
        super(message);
        this.code = Objects.requireNonNull(code, "code");
        this.variables = Objects.requireNonNull(variables, "variables");
    }

    public String code() {
        return code;
    }

    Map<String, ?> variables() {
        return variables == null ? Map.of() : variables;
    }
}
