package peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON that bench/README.md describes. */
final class Result {
    /** One repetition: jobs per second twice, and microseconds. */
    record Run(double drain, double enqueue, double cpuMicros) {
    }

    private final Map<String, String> problems = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private final String startedAt = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();

    void add(Run run) {
        runs.add(run);
    }

    /** Records the first problem of a check; empty: none. */
    void check(String name, String problem) {
        problems.merge(name, problem, (known, now) -> known.isEmpty() ? now : known);
    }

    boolean passed() {
        return problems.values().stream().allMatch(String::isEmpty);
    }

    String json(Map<String, String> environment, Map<String, String> settings) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("format", "jobstrand-bench/1");
        document.put("scenario", "drain");
        document.put("startedAt", startedAt);
        document.put("passed", passed());
        document.put("environment", environment);
        document.put("settings", settings);
        document.put("figures", List.of(figure("drain", "jobs/s", Run::drain),
                figure("enqueue", "jobs/s", Run::enqueue), figure("CPU time per job", "us", Run::cpuMicros)));
        document.put("latencies", List.of());
        document.put("series", List.of());
        List<Object> checks = new ArrayList<>();
        problems.forEach((name, problem) -> checks.add(
                ordered("name", name, "passed", problem.isEmpty(), "problem", problem)));
        document.put("checks", checks);
        return JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build().writeValueAsString(document);
    }

    private Map<String, Object> figure(String name, String unit, ToDoubleFunction<Run> value) {
        double[] values = runs.stream().mapToDouble(value).toArray();
        double[] sorted = Arrays.stream(values).sorted().toArray();
        int count = sorted.length;
        double median = count == 0 ? 0 : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        return ordered("name", name, "unit", unit, "values", values, "median", median, "min",
                count == 0 ? 0 : sorted[0], "max", count == 0 ? 0 : sorted[count - 1], "ceiling", null, "ratio", null);
    }

    static Map<String, String> environment(Peer peer, Database database, String url) throws Exception {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("program", peer.name() + " " + versionOf(peer.library()));
        environment.put("compiler", "Java " + Runtime.version() + ", " + versionOfDriver(database));
        environment.put("cpu", lineOf("/proc/cpuinfo", "model name"));
        environment.put("cpus", String.valueOf(Runtime.getRuntime().availableProcessors()));
        environment.put("memory", lineOf("/proc/meminfo", "MemTotal"));
        environment.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        environment.put("database", database.description());
        environment.put("durability", database.durability());
        environment.put("url", url.replaceFirst(":[^:@/]*@", ":***@"));
        return environment;
    }

    /** From the name of the jar, `quartz-2.5.2.jar`. */
    private static String versionOf(Class<?> library) {
        String path = library.getProtectionDomain().getCodeSource().getLocation().getPath();
        return Path.of(path).getFileName().toString().replaceFirst("^.*?-(\\d.*)\\.jar$", "$1");
    }

    private static String versionOfDriver(Database database) {
        return database.isMariaDb ? "MariaDB Connector/J " + versionOf(org.mariadb.jdbc.Driver.class)
                : "PostgreSQL JDBC " + versionOf(org.postgresql.Driver.class);
    }

    private static String lineOf(String file, String word) throws Exception {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(word)).findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).trim()).orElse("");
        }
    }

    private static Map<String, Object> ordered(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }
}
