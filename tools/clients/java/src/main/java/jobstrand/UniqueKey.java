package jobstrand;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The unique key of a job that is being added. */
final class UniqueKey {
    /** How often a key is asked for that is freed between two statements. */
    private static final int TRIES = 3;

    /** Who is said to have the lock of a job that nobody runs. */
    private static final List<String> NOBODY =
            List.of("waiting for an exclusive job", "waiting for a limit");

    private static final String SUSPENDED = "ACT_RU_SUSPENDED_JOB";
    private static final List<String> TABLES =
            List.of("ACT_RU_JOB", "ACT_RU_TIMER_JOB", "ACT_RU_EXTERNAL_JOB", SUSPENDED);

    private final Connection connection;
    private final Dialect dialect;
    private final String key;
    private final OnDuplicate onDuplicate;
    private final String id;
    private final Instant until;
    private final Instant now;

    UniqueKey(Connection connection, Dialect dialect, NewJob job, String id, Instant now) {
        this.connection = connection;
        this.dialect = dialect;
        this.key = job.uniqueKey;
        this.onDuplicate = job.onDuplicate == null ? OnDuplicate.REJECT : job.onDuplicate;
        this.id = id;
        this.until = job.uniqueFor == null ? null : now.plus(job.uniqueFor);
        this.now = now;
    }

    /** Returns the id of the job that has the key and is kept; null: the key is taken. */
    String take() throws SQLException {
        if (until != null || onDuplicate != OnDuplicate.REJECT) {
            Row.execute(
                    connection,
                    "DELETE FROM JS_UNIQUE WHERE KEY_ = ? AND UNTIL_ <= " + dialect.timeMark(),
                    key,
                    Row.text(now));
        }
        if (onDuplicate == OnDuplicate.REJECT) {
            row().insertInto(connection, "JS_UNIQUE");
            return null;
        }
        String holder = holder();
        if (holder.equals(id)) {
            return null;
        }
        if (onDuplicate == OnDuplicate.KEEP) {
            return holder;
        }
        remove(holder);
        move();
        return null;
    }

    private Row row() {
        return new Row(dialect).add("KEY_", key).add("JOB_ID_", id).addTime("UNTIL_", until);
    }

    /** Returns the id of the job that has the key: this one, if it was free. */
    private String holder() throws SQLException {
        for (int attempt = 0; attempt < TRIES; ++attempt) {
            row().insertInto(connection, "JS_UNIQUE", dialect.unlessThere());
            List<String> found =
                    first(
                            1,
                            "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = ?" + dialect.forUpdate(""),
                            key);
            if (found != null) {
                return found.get(0);
            }
        }
        throw new KeyHeldException(
                "others take and leave the unique key " + key + " again and again");
    }

    /**
     * Ends the job that has the key, if it waits. A row that somebody has in hand is not waited
     * for, so that nobody waits for a key and a job in a circle.
     */
    private void remove(String holder) throws SQLException {
        for (String table : TABLES) {
            List<Object> values = new ArrayList<>(List.of(holder));
            String query =
                    "SELECT CUSTOM_VALUES_ID_, EXCEPTION_STACK_ID_ FROM "
                            + table
                            + " WHERE ID_ = ? AND REPEAT_ IS NULL AND SERIES_ IS NULL";
            if (!table.equals(SUSPENDED)) {
                query += " AND (LOCK_EXP_TIME_ IS NULL OR LOCK_OWNER_ IN (?, ?))";
                values.addAll(NOBODY);
            }
            List<String> texts =
                    first(2, query + dialect.forUpdate(" SKIP LOCKED"), values.toArray());
            if (texts == null) {
                continue;
            }
            Row.execute(connection, "DELETE FROM " + table + " WHERE ID_ = ?", holder);
            for (String text : texts) {
                if (text != null) {
                    Row.execute(connection, "DELETE FROM ACT_GE_BYTEARRAY WHERE ID_ = ?", text);
                }
            }
            return;
        }
        throw new KeyHeldException(
                "job " + holder + " has the unique key " + key + ", and is running or has ended");
    }

    private void move() throws SQLException {
        if (until == null) {
            Row.execute(
                    connection,
                    "UPDATE JS_UNIQUE SET JOB_ID_ = ?, UNTIL_ = NULL, REV_ = REV_ + 1 WHERE KEY_ ="
                            + " ?",
                    id,
                    key);
            return;
        }
        Row.execute(
                connection,
                "UPDATE JS_UNIQUE SET JOB_ID_ = ?, UNTIL_ = "
                        + dialect.timeMark()
                        + ", REV_ = REV_ + 1 WHERE KEY_ = ?",
                id,
                Row.text(until),
                key);
    }

    /** Returns the columns of a query's first row; null: there is none. */
    private List<String> first(int columns, String query, Object... values) throws SQLException {
        try (PreparedStatement statement = Row.prepare(connection, query, values);
                ResultSet found = statement.executeQuery()) {
            if (!found.next()) {
                return null;
            }
            List<String> texts = new ArrayList<>();
            for (int column = 1; column <= columns; ++column) {
                texts.add(found.getString(column));
            }
            return texts;
        }
    }
}
