#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/postgresql/connect.hpp"
#include "persistence/drivers/postgresql/postgresql_database.hpp"
#include "persistence/drivers/postgresql/postgresql_dialect.hpp"

#include <libpq-fe.h>

#include <array>
#include <memory>
#include <string>

namespace jobstrand::persistence {

/// PostgreSQL: `postgresql://user:password@host:port/database`.
///
/// Options: `connect_timeout` (default PT10S, at least PT2S); `statement_timeout`, after which the
/// server ends a statement (default PT30S), and `lock_timeout`, after which it ends a wait for a
/// lock (default PT5S); `ssl` (off; prefer, the default; require; verify, which checks the
/// certificate and its name) and `ssl_ca`, a file with the certificates to trust; `clear_password`
/// (refuse, the default: the password itself is sent only to a server whose certificate was
/// verified; allow);
/// `application_name` (default jobstrand); `notify` (on, the default: commits announce new jobs,
/// and nodes listen; off: they only poll); `synchronous_commit` (on, remote_apply, remote_write,
/// local, off; default: what the server, the database or the role has).
extern const Driver kPostgresqlDriver;

namespace {

using Form = UrlOption::Form;

constexpr std::array<std::string_view, 5> kSsl{"off", "prefer", "require", "verify", "verify-ca"};
constexpr std::array<std::string_view, 2> kRefuseOrAllow{"refuse", "allow"};
constexpr std::array<std::string_view, 2> kOnOrOff{"on", "off"};
constexpr std::array<std::string_view, 5> kSynchronousCommit{
    "on",
    "remote_apply",
    "remote_write",
    "local",
    "off"};
constexpr std::array<std::string_view, 3> kTargets{"any", kReadWrite, "primary"};
constexpr std::array kOptions{
    UrlOption{"connect_timeout"},
    UrlOption{"statement_timeout"},
    UrlOption{"lock_timeout"},
    UrlOption{kSslOption, Form::word, kSsl},
    UrlOption{kSslCaOption, Form::text, {}, "sslrootcert"},
    UrlOption{kSslCertOption, Form::text, {}, "sslcert"},
    UrlOption{kSslKeyOption, Form::text, {}, "sslkey"},
    UrlOption{"clear_password", Form::word, kRefuseOrAllow},
    UrlOption{kPasswordFileOption, Form::text},
    UrlOption{kPasswordCommandOption, Form::text},
    UrlOption{kSocketOption, Form::text, {}, "host"},
    UrlOption{"application_name", Form::text},
    UrlOption{"notify", Form::word, kOnOrOff},
    UrlOption{"synchronous_commit", Form::word, kSynchronousCommit},
    UrlOption{kTargetOption, Form::word, kTargets},
};

constexpr std::array kDurability{
    Diagnostics::Setting{"fsync", "SHOW fsync"},
    Diagnostics::Setting{"synchronous_commit", "SHOW synchronous_commit"},
};
constexpr std::array kHealth{
    Diagnostics::Figure{"dead tuples", "rows", "SELECT SUM(n_dead_tup) FROM pg_stat_user_tables"},
    Diagnostics::Figure{
        "WAL written",
        "bytes",
        "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')",
        true},
    Diagnostics::Figure{
        "commits",
        "commits",
        "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()",
        true},
};

constexpr std::string_view kMayNotSeeOthers =
    "SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN 0 ELSE 1 END, "
    "''";
constexpr std::string_view kGrantStats = "GRANT pg_monitor TO the user of Jobstrand";

/// Seconds that vacuum is held back, and rows that it has not removed.
constexpr std::array kSymptoms{
    Diagnostics::Symptom{
        .name = "oldest transaction",
        .unit = "s",
        .sql = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp() - xact_start) AS bigint),"
               " 'pid ' || pid || ', user ' || usename || ', application '"
               " || COALESCE(NULLIF(application_name, ''), 'unnamed') || ', '"
               " || COALESCE(state, 'unknown')"
               " FROM pg_stat_activity"
               " WHERE datname = current_database() AND pid <> pg_backend_pid()"
               " AND xact_start IS NOT NULL AND backend_type = 'client backend'"
               " AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)"
               " ORDER BY xact_start LIMIT 1",
        .most = 300,
        .advice = "it keeps deleted jobs in the way of all claims: end it, or SELECT "
                  "pg_terminate_backend(PID)",
        .blind_sql = kMayNotSeeOthers,
        .grant = kGrantStats},
    Diagnostics::Symptom{
        .name = "oldest prepared transaction",
        .unit = "s",
        .sql = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp() - prepared) AS bigint),"
               " gid || ', user ' || owner"
               " FROM pg_prepared_xacts WHERE database = current_database()"
               " ORDER BY prepared LIMIT 1",
        .most = 300,
        .advice = "nobody has ended it: COMMIT PREPARED or ROLLBACK PREPARED"},
    Diagnostics::Symptom{
        .name = "oldest replication slot",
        .unit = "transactions",
        .sql = "SELECT CAST(age(xmin) AS bigint), slot_name"
               " || CASE WHEN active THEN ', in use' ELSE ', not in use' END"
               " FROM pg_replication_slots WHERE xmin IS NOT NULL ORDER BY age(xmin) DESC LIMIT 1",
        .most = 1'000'000,
        .advice = "its replica is behind or gone: SELECT pg_drop_replication_slot(NAME) if it is"},
    Diagnostics::Symptom{
        .name = "oldest standby",
        .unit = "transactions",
        .sql = "SELECT CAST(age(backend_xmin) AS bigint),"
               " COALESCE(NULLIF(application_name, ''), 'unnamed') || ', '"
               " || COALESCE(host(client_addr), 'this machine') || ', ' || state"
               " FROM pg_stat_replication WHERE backend_xmin IS NOT NULL"
               " ORDER BY age(backend_xmin) DESC LIMIT 1",
        .most = 1'000'000,
        .advice = "somebody reads there for long, and its hot_standby_feedback keeps deleted jobs "
                  "here: end that transaction",
        .blind_sql = kMayNotSeeOthers,
        .grant = kGrantStats},
    Diagnostics::Symptom{
        .name = "WAL kept for a replication slot",
        .unit = "MiB",
        .sql =
            "SELECT CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) / 1048576 AS bigint),"
            " slot_name || CASE WHEN active THEN ', in use' ELSE ', not in use' END"
            " FROM pg_replication_slots WHERE restart_lsn IS NOT NULL"
            " ORDER BY restart_lsn LIMIT 1",
        .most = 16'384,
        .advice = "its replica is behind or gone: SELECT pg_drop_replication_slot(NAME) if it is"},
    Diagnostics::Symptom{
        .name = "autovacuum",
        .unit = "",
        .sql = "SELECT CASE WHEN S.OFF_ = '' THEN 0 ELSE 1 END, COALESCE(NULLIF(S.OFF_, ''), 'on')"
               " FROM (SELECT CONCAT_WS(', ',"
               " CASE WHEN current_setting('autovacuum') = 'off' THEN 'off' END,"
               " CASE WHEN current_setting('track_counts') = 'off' THEN 'track_counts off' END,"
               " (SELECT 'off for act_ru_job' FROM pg_class, unnest(reloptions) AS O"
               " WHERE oid = to_regclass('act_ru_job') AND O ~* '^autovacuum_enabled=(f|of|n|0)')"
               ") AS OFF_) S",
        .most = 0,
        .advice = "nobody removes deleted jobs, which all claims pass over: switch it on"},
    Diagnostics::Symptom{
        .name = "dead rows of act_ru_job",
        .unit = "rows",
        .sql = "SELECT n_dead_tup, 'beside ' || n_live_tup || ' living; last autovacuum '"
               " || COALESCE(to_char(last_autovacuum AT TIME ZONE 'UTC',"
               " 'YYYY-MM-DD HH24.MI') || ' UTC', 'never')"
               " FROM pg_stat_user_tables"
               " WHERE relname = 'act_ru_job' AND schemaname = current_schema()",
        .most = 2'000'000,
        .advice = "end what holds vacuum back (see above), then VACUUM act_ru_job"},
};

std::unique_ptr<Connection> connect(const DatabaseUrl& url, SessionPool::Access /*access*/) {
    return open_postgresql(url);
}

OpenListener listener(const DatabaseUrl& url) {
    return announces_jobs(url) ? [url] { return listen_to_postgresql(url); } : OpenListener{};
}

/// The password that libpq itself would take for this URL: PGPASSWORD, else a line of the file that
/// PGPASSFILE names, else one of ~/.pgpass
/// (https://www.postgresql.org/docs/current/libpq-pgpass.html). It warns on stderr of a file that
/// others may read, and does not use it. Empty: there is none.
///
/// Asked before a connection, because a guarded login goes to another host than the one whose
/// password it is.
std::string find_postgresql_password(const DatabaseUrl& url) {
    const std::string host(option_text(url, kSocketOption, url.host));
    const std::string port = std::to_string(url.port);
    // An address that is none: the library looks for the password, and then has nowhere to go.
    const std::array<const char*, 6> keys{"host", "hostaddr", "port", "user", "dbname", nullptr};
    const std::array<const char*, 6> values{
        host.c_str(), "-", port.c_str(), url.user.c_str(), url.database.c_str(), nullptr};
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
        PQconnectStartParams(keys.data(), values.data(), 0), &PQfinish
    );
    return connection == nullptr ? "" : PQpass(connection.get());
}

}  // namespace

constinit const Driver kPostgresqlDriver{
    .dialect = kPostgresqlDialect,
    .url = {.scheme = "postgresql", .also = "postgres", .default_port = 5432, .options = kOptions},
    .find_password = find_postgresql_password,
    .connect = connect,
    .listener = listener,
    .diagnostics =
        {
            .product = "PostgreSQL",
            .version_sql = "SHOW server_version",
            .is_the_servers_own = is_postgresqls_own_version,
            .durability = kDurability,
            .health = kHealth,
            .symptoms = kSymptoms,
        },
};

}  // namespace jobstrand::persistence
