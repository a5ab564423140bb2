#include "persistence/drivers/postgresql/driver.hpp"

#include "persistence/drivers/postgresql/database.hpp"
#include "persistence/drivers/postgresql/dialect.hpp"
#include "persistence/drivers/postgresql/found_password.hpp"
#include "persistence/drivers/postgresql/listener.hpp"
#include "persistence/url/url_options.hpp"

#include <array>

namespace jobstrand::persistence {

namespace {

using Form = UrlOption::Form;

constexpr std::array<std::string_view, 4> kSsl{"off", "prefer", "require", "verify"};
constexpr std::array<std::string_view, 2> kRefuseOrAllow{"refuse", "allow"};
constexpr std::array<std::string_view, 2> kOnOrOff{"on", "off"};
constexpr std::array<std::string_view, 5> kSynchronousCommit{
    "on",
    "remote_apply",
    "remote_write",
    "local",
    "off"};
constexpr std::array kOptions{
    UrlOption{"connect_timeout"},
    UrlOption{"statement_timeout"},
    UrlOption{"lock_timeout"},
    UrlOption{kSslOption, Form::word, kSsl},
    UrlOption{"ssl_ca", Form::text, {}, "sslrootcert"},
    UrlOption{kSslCertOption, Form::text, {}, "sslcert"},
    UrlOption{kSslKeyOption, Form::text, {}, "sslkey"},
    UrlOption{"clear_password", Form::word, kRefuseOrAllow},
    UrlOption{kPasswordFileOption, Form::text},
    UrlOption{kPasswordCommandOption, Form::text},
    UrlOption{kSocketOption, Form::text, {}, "host"},
    UrlOption{"application_name", Form::text},
    UrlOption{"notify", Form::word, kOnOrOff},
    UrlOption{"synchronous_commit", Form::word, kSynchronousCommit},
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

std::unique_ptr<Connection> connect(const DatabaseUrl& url, SessionPool::Access /*access*/) {
    return open_postgresql(url);
}

OpenListener listener(const DatabaseUrl& url) {
    return announces_jobs(url) ? [url] { return listen_to_postgresql(url); } : OpenListener{};
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
            .durability = kDurability,
            .health = kHealth,
        },
};

}  // namespace jobstrand::persistence
