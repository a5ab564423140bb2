package jobstrand;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/** What is inserted; what has no value is left out. */
final class Row {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

    private final Dialect dialect;
    private final List<String> columns = new ArrayList<>();
    private final List<String> marks = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    Row(Dialect dialect) {
        this.dialect = dialect;
    }

    Row add(String column, Object value) {
        return value == null ? this : add(column, "?", value);
    }

    Row addTime(String column, Instant value) {
        return value == null ? this : add(column, dialect.timeMark(), text(value));
    }

    void insertInto(Connection connection, String table) throws SQLException {
        insertInto(connection, table, "");
    }

    void insertInto(Connection connection, String table, String ending) throws SQLException {
        String sql =
                "INSERT INTO "
                        + table
                        + " ("
                        + String.join(", ", columns)
                        + ") VALUES ("
                        + String.join(", ", marks)
                        + ")"
                        + ending;
        execute(connection, sql, values.toArray());
    }

    /** Carries a statement out with a value for each `?`. */
    static void execute(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, values)) {
            statement.executeUpdate();
        }
    }

    static PreparedStatement prepare(Connection connection, String sql, Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int at = 0; at < values.length; ++at) {
                statement.setObject(at + 1, values[at]);
            }
            return statement;
        } catch (SQLException error) {
            statement.close();
            throw error;
        }
    }

    static String text(Instant time) {
        return TIME.format(time);
    }

    private Row add(String column, String mark, Object value) {
        columns.add(column);
        marks.add(mark);
        values.add(value);
        return this;
    }
}
