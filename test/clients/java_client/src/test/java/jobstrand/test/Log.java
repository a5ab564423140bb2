package jobstrand.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What a worker has logged. */
final class Log extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("jobstrand");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    Log() {
        setFormatter(new SimpleFormatter());
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    long count(String text) {
        return lines.stream().filter(line -> line.contains(text)).count();
    }

    @Override
    public void publish(LogRecord told) {
        lines.add(getFormatter().formatMessage(told));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
