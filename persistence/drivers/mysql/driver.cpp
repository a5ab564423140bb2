#include "persistence/drivers/mysql/driver.hpp"

#include "persistence/drivers/mysql/database.hpp"
#include "persistence/drivers/mysql/dialect.hpp"
#include "persistence/url/url_options.hpp"

#include <array>
#include <cstdlib>

namespace jobstrand::persistence {

namespace {

using Form = UrlOption::Form;

constexpr std::array<std::string_view, 3> kSsl{"off", "require", "verify"};
constexpr std::array<std::string_view, 2> kRefuseOrAllow{"refuse", "allow"};
constexpr std::array kOptions{
    UrlOption{"connect_timeout"},
    UrlOption{"statement_timeout"},
    UrlOption{kSslOption, Form::word, kSsl},
    UrlOption{"ssl_ca", Form::text, {}, "ssl-ca"},
    UrlOption{kSslCertOption, Form::text, {}, "ssl-cert"},
    UrlOption{kSslKeyOption, Form::text, {}, "ssl-key"},
    UrlOption{"clear_password", Form::word, kRefuseOrAllow},
    UrlOption{kPasswordFileOption, Form::text},
    UrlOption{kPasswordCommandOption, Form::text},
    UrlOption{kSocketOption, Form::text},
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
            .durability = kDurability,
            .health = kHealth,
        },
};

}  // namespace jobstrand::persistence
