#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/mysql/mysql_database.hpp"
#include "persistence/drivers/mysql/mysql_dialect.hpp"

#include <array>
#include <cstdlib>

namespace jobstrand::persistence {

/// MySQL and MariaDB: `mysql://user:password@host:port/database`.
///
/// Options: `connect_timeout` (default PT10S); `statement_timeout`, after which the server ends a
/// statement (default PT30S; MySQL itself ends only a SELECT, but nobody waits longer for any
/// answer); `ssl` (off, the default; require; verify, which checks the certificate and its name;
/// verify-ca, which checks that the certificate is in `ssl_ca` or signed by one there) and
/// `ssl_ca`, a file with the certificates to trust instead of the system's; `server_public_key`, a
/// file with the key for which caching_sha2_password encrypts the password where there is no TLS;
/// `clear_password` (refuse, the default: the password itself is sent only to a server that has
/// proven who it is; allow); `target_session_attrs` (any, the default for one host; read-write,
/// that for several: a server that is not read_only).
extern const Driver kMysqlDriver;

namespace {

using Form = UrlOption::Form;

constexpr std::array<std::string_view, 4> kSsl{"off", "require", "verify", "verify-ca"};
constexpr std::array<std::string_view, 2> kRefuseOrAllow{"refuse", "allow"};
constexpr std::array<std::string_view, 2> kTargets{"any", kReadWrite};
constexpr std::array kOptions{
    UrlOption{"connect_timeout"},
    UrlOption{"statement_timeout"},
    UrlOption{kSslOption, Form::word, kSsl},
    UrlOption{kSslCaOption, Form::text, {}, "ssl-ca"},
    UrlOption{kSslCertOption, Form::text, {}, "ssl-cert"},
    UrlOption{kSslKeyOption, Form::text, {}, "ssl-key"},
    UrlOption{kServerPublicKeyOption, Form::text, {}, "server-public-key"},
    UrlOption{"clear_password", Form::word, kRefuseOrAllow},
    UrlOption{kPasswordFileOption, Form::text},
    UrlOption{kPasswordCommandOption, Form::text},
    UrlOption{kSocketOption, Form::text},
    UrlOption{kTargetOption, Form::word, kTargets},
};

constexpr std::array kDurability{
    Diagnostics::Setting{
        "innodb_flush_log_at_trx_commit",
        "SELECT @@innodb_flush_log_at_trx_commit"},
    Diagnostics::Setting{"sync_binlog", "SELECT @@sync_binlog"},
    Diagnostics::Setting{"log_bin", "SELECT @@log_bin"},
};
constexpr std::array kHealth{
    Diagnostics::Figure{
        "history list length",
        "transactions",
        "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'"},
    Diagnostics::Figure{
        "redo log written",
        "bytes",
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
        "WHERE VARIABLE_NAME = 'INNODB_OS_LOG_WRITTEN'",
        true},
    Diagnostics::Figure{
        "commits",
        "commits",
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
        "WHERE VARIABLE_NAME = 'COM_COMMIT'",
        true},
};

constexpr std::string_view kGrantProcess = "GRANT PROCESS ON *.* TO the user of Jobstrand";

constexpr std::array kSymptoms{
    Diagnostics::Symptom{
        .name = "history list",
        .unit = "transactions",
        .sql = "SELECT COUNT, 'not purged yet' FROM information_schema.INNODB_METRICS"
               " WHERE NAME = 'trx_rseg_history_len'",
        .most = 1'000'000,
        .advice = "an old transaction keeps deleted jobs in the way of all claims: end it",
        .grant = kGrantProcess},
    Diagnostics::Symptom{
        .name = "oldest transaction",
        .unit = "s",
        .sql = "SELECT TIMESTAMPDIFF(SECOND, T.trx_started, NOW()),"
               " CONCAT('thread ', T.trx_mysql_thread_id, ', user ',"
               " COALESCE(P.USER, 'unknown'), ' on ', COALESCE(P.HOST, 'unknown'))"
               " FROM information_schema.INNODB_TRX T"
               " LEFT JOIN information_schema.PROCESSLIST P ON P.ID = T.trx_mysql_thread_id"
               " WHERE T.trx_mysql_thread_id <> CONNECTION_ID()"
               " ORDER BY T.trx_started LIMIT 1",
        .most = 300,
        .advice = "it keeps deleted jobs in the way of all claims: end it, or KILL its thread",
        .grant = kGrantProcess},
    Diagnostics::Symptom{
        .name = "isolation of apps",
        .unit = "",
        .sql = "SELECT 0, @@global.transaction_isolation",
        .most = 0,
        .advice = "READ-COMMITTED lets inserts of jobs wait for nobody",
        .or_sql = "SELECT 0, @@global.tx_isolation"},
};

/// The variable of the clients of MySQL and MariaDB.
std::string find_password(const DatabaseUrl& /*url*/) {
    const char* const password = std::getenv("MYSQL_PWD");
    return password == nullptr ? "" : password;
}

std::unique_ptr<Connection> connect_mysql(const DatabaseUrl& url, SessionPool::Access /*access*/) {
    return open_mysql(url);
}

}  // namespace

constinit const Driver kMysqlDriver{
    .dialect = kMysqlDialect,
    .url = {.scheme = "mysql", .also = "mariadb", .default_port = 3306, .options = kOptions},
    .find_password = find_password,
    .connect = connect_mysql,
    .diagnostics =
        {
            .product = "MySQL/MariaDB",
            .version_sql = "SELECT version()",
            .is_the_servers_own = is_mysqls_own_version,
            .durability = kDurability,
            .health = kHealth,
            .symptoms = kSymptoms,
        },
};

}  // namespace jobstrand::persistence
