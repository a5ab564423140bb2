package jobstrand;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/** In what the databases differ. */
enum Dialect {
    SQLITE,
    POSTGRESQL,
    MYSQL;

    static Dialect of(Connection connection) throws SQLException {
        String name = connection.getMetaData().getDatabaseProductName();
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "sqlite" -> SQLITE;
            case "postgresql" -> POSTGRESQL;
            case "mysql", "mariadb" -> MYSQL;
            default ->
                    throw new IllegalArgumentException(
                            "jobs are in PostgreSQL, MySQL, MariaDB or SQLite, and this connection"
                                    + " is to "
                                    + name);
        };
    }

    /** Stands for a time, which is given as a text in UTC. */
    String timeMark() {
        return this == POSTGRESQL ? "CAST(CAST(? AS text) AS timestamp(3))" : "?";
    }

    /** Lets a key be that is there already. (INSERT IGNORE would tell the app of a warning.) */
    String unlessThere() {
        return this == MYSQL ? " ON DUPLICATE KEY UPDATE KEY_ = KEY_" : " ON CONFLICT DO NOTHING";
    }

    String forUpdate(String how) {
        return this == SQLITE ? "" : " FOR UPDATE" + how;
    }
}
