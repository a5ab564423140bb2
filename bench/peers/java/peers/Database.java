package peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A pool of connections to the server that the comparison has started. */
final class Database implements AutoCloseable {
    final boolean isMariaDb;
    final String name;
    private final HikariDataSource pool;

    Database(String url, int connections) {
        URI uri = URI.create(url);
        isMariaDb = uri.getScheme().equals("mysql");
        name = uri.getPath().substring(1);
        String[] user = uri.getUserInfo().split(":", 2);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:" + (isMariaDb ? "mariadb" : "postgresql") + "://" + uri.getHost() + ":" + uri.getPort()
                + uri.getPath() + (isMariaDb ? "?useServerPrepStmts=true"
                        : "?reWriteBatchedInserts=true"));
        config.setUsername(user[0]);
        config.setPassword(user[1]);
        config.setMaximumPoolSize(connections);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        pool = new HikariDataSource(config);
    }

    DataSource source() {
        return pool;
    }

    /** The first column of the first row; null: there is none. */
    String query(String sql) throws SQLException {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    boolean isEmpty(String... tables) throws SQLException {
        for (String table : tables) {
            if (query("SELECT 1 FROM " + table + " LIMIT 1") != null) {
                return false;
            }
        }
        return true;
    }

    /** The server would do it by itself before long; what it has not done yet can spoil its plans. */
    void refreshStatistics(String... tables) throws SQLException {
        for (String table : tables) {
            execute(List.of((isMariaDb ? "ANALYZE TABLE " : "VACUUM (ANALYZE) ") + table));
        }
    }

    void execute(List<String> statements) throws SQLException {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Empties tables whatever their foreign keys say; MariaDB only. */
    void truncateLike(String pattern) throws SQLException {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery("SHOW TABLES LIKE '" + pattern + "'")) {
                while (rows.next()) {
                    tables.add(rows.getString(1));
                }
            }
            statement.execute("SET foreign_key_checks = 0");
            for (String table : tables) {
                statement.execute("TRUNCATE TABLE " + table);
            }
            statement.execute("SET foreign_key_checks = 1");
        }
    }

    String description() throws SQLException {
        return isMariaDb ? "MariaDB " + query("SELECT version()") : "PostgreSQL " + query("SHOW server_version");
    }

    String durability() throws SQLException {
        return isMariaDb
                ? "innodb_flush_log_at_trx_commit=" + query("SELECT @@innodb_flush_log_at_trx_commit") + ", log_bin="
                        + query("SELECT @@log_bin")
                : "fsync=" + query("SHOW fsync") + ", synchronous_commit=" + query("SHOW synchronous_commit");
    }

    @Override
    public void close() {
        pool.close();
    }
}
