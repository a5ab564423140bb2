package peers;

import java.util.LinkedHashMap;
import java.util.Map;

/** The command line: `--name value` pairs, and nothing else. */
final class Options {
    private final Map<String, String> values = new LinkedHashMap<>(Map.of(
            "jobs", "10000", "warm-up", "2000", "repeat", "3", "workers", "8", "time-limit", "120"));

    /** `more`: further names with their defaults, which also replace the common ones. */
    Options(String[] arguments, Map<String, String> more) {
        values.putAll(more);
        values.put("db", values.getOrDefault("db", ""));
        for (int i = 0; i < arguments.length; i += 2) {
            String name = arguments[i].replaceFirst("^--", "");
            if (i + 1 == arguments.length || !values.containsKey(name)) {
                throw new IllegalArgumentException("unknown, or without a value: " + arguments[i]);
            }
            values.put(name, arguments[i + 1]);
        }
        if (text("db").isEmpty() || number("jobs") < 1 || number("repeat") < 1) {
            throw new IllegalArgumentException("--db, at least one job and one repetition are needed");
        }
    }

    String text(String name) {
        return values.get(name);
    }

    int number(String name) {
        return Integer.parseInt(text(name));
    }
}
