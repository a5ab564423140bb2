#include "persistence/drivers/mysql/mysql_database.hpp"

#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/mysql/mysql_connection.hpp"
#include "persistence/drivers/mysql/mysql_errors.hpp"
#include "persistence/drivers/mysql/server_certificate.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/time.hpp"

#include <cppconn/connection.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <fmt/format.h>
#include <mysql_driver.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>

namespace jobstrand::persistence {

namespace {

/// A number at the start of `text`, which is left behind it; nullopt: there is none.
std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take_point(std::string_view& text) {
    const bool found = text.starts_with('.');
    text.remove_prefix(found ? 1 : 0);
    return found;
}

}  // namespace

std::optional<MysqlVersion> parse_mysql_version(std::string_view text) {
    // What MariaDB puts in front of its version where old clients expect a 5.
    if (text.starts_with("5.5.5-")) {
        text.remove_prefix(6);
    }
    MysqlVersion version{.is_mariadb = text.find("MariaDB") != std::string_view::npos};
    for (int* const part : {&version.major, &version.minor, &version.patch}) {
        const auto number = take_number(text);
        if (!number || (part != &version.patch && !take_point(text))) {
            return std::nullopt;
        }
        *part = *number;
    }
    return version;
}

std::optional<std::string> mysql_version_refusal(std::string_view text) {
    // It reads SKIP LOCKED, and then locks nothing: two nodes would run the same jobs.
    if (text.find("TiDB") != std::string_view::npos) {
        return fmt::format(
            "the server is TiDB ({}), whose SELECT ... FOR UPDATE SKIP LOCKED locks no rows", text
        );
    }
    constexpr std::string_view kOldest = "MariaDB 10.6 or MySQL 8.0.1 are the oldest that work";
    const auto version = parse_mysql_version(text);
    if (!version) {
        return fmt::format("the server says that its version is \"{}\": {}", text, kOldest);
    }
    const auto [is_mariadb, major, minor, patch] = *version;
    const auto oldest = is_mariadb ? std::tuple(10, 6, 0) : std::tuple(8, 0, 1);
    if (std::tuple(major, minor, patch) >= oldest) {
        return std::nullopt;
    }
    return fmt::format(
        "the server is {} {}.{}.{}, which is too old: {}",
        is_mariadb ? "MariaDB" : "MySQL",
        major,
        minor,
        patch,
        kOldest
    );
}

bool is_mysqls_own_version(std::string_view text) {
    static const std::regex kOwn(R"((5\.5\.5-)?\d+\.\d+\.\d+(-MariaDB.*|-\d.*|-log)?)");
    return std::regex_match(text.begin(), text.end(), kOwn);
}

namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;

/// How much longer than the server's own time-out this side waits for an answer.
constexpr seconds kAnswerMargin = 5s;

/// Server and driver count in whole seconds; 0 would be no bound at all.
seconds at_least_one(schema::Duration duration) {
    return std::max(std::chrono::ceil<seconds>(duration), 1s);
}

seconds statement_timeout(const DatabaseUrl& url) {
    return at_least_one(option_duration(url, "statement_timeout", 30s));
}

schema::Duration connect_timeout(const DatabaseUrl& url) {
    return at_least_one(option_duration(url, "connect_timeout", 10s));
}

/// The ways to log in that give the password to nobody: it is proven, not sent. All others, such as
/// mysql_clear_password, dialog and caching_sha2_password, send it to a server that asks, or
/// encrypted with a key that the server has just named.
constexpr std::string_view kProofs = "mysql_native_password,client_ed25519";
/// Without TLS and with a key that we have, only who has the other half of it can read it.
constexpr std::string_view kProofsByKey =
    "mysql_native_password,client_ed25519,caching_sha2_password";

/// Empty: the server is on a host.
std::string socket_of(const DatabaseUrl& url) {
    return std::string(option_text(url, kSocketOption, {}));
}

void add_text(
    sql::ConnectOptionsMap& properties,
    const char* name,
    const DatabaseUrl& url,
    std::string_view option
) {
    if (const std::string value(option_text(url, option, {})); !value.empty()) {
        properties[name] = sql::SQLString(value);
    }
}

void add_tls(sql::ConnectOptionsMap& properties, const DatabaseUrl& url) {
    const std::string_view ssl = option_text(url, kSslOption, "off");
    if (ssl == "off") {
        return;
    }
    properties["sslEnforce"] = true;
    if (ssl == "verify") {
        properties["sslVerify"] = true;
    }
    if (ssl != "verify-ca") {
        add_text(properties, "sslCA", url, kSslCaOption);
    }
    add_text(properties, "sslCert", url, kSslCertOption);
    add_text(properties, "sslKey", url, kSslKeyOption);
}

/// What must hold before the library gives anything away, in options of its own, for which
/// Connector/C++ has no properties. A certificate that it verifies is enough, and so is a socket:
/// who listens there has been let into its folder. It cannot tell a certificate of ssl_ca by
/// anything but its name; so it is told which one we have found to be of ssl_ca.
std::string guards(const DatabaseUrl& url, const std::optional<MemoryFile>& key) {
    std::string options = "[client]\n";
    if (!socket_of(url).empty()) {
        return options;
    }
    const std::string_view ssl = option_text(url, kSslOption, "off");
    if (ssl == "require" || ssl == "verify-ca") {
        const std::string trusted(ssl == "require" ? "" : option_text(url, kSslCaOption, {}));
        options += fmt::format(
            "tls-fp = {}\n",
            mysql_certificate_fingerprint(url.host, url.port, connect_timeout(url), trusted)
        );
    }
    if (key) {
        // The library never frees this text: some 20 bytes a connection.
        options += fmt::format("server-public-key = {}\n", key->path());
    }
    if (!server_is_verified(url) && option_text(url, "clear_password", "refuse") == "refuse") {
        options += fmt::format("restricted-auth = {}\n", key ? kProofsByKey : kProofs);
    }
    return options;
}

sql::ConnectOptionsMap connect_properties(const DatabaseUrl& url) {
    const int answer_seconds = static_cast<int>((statement_timeout(url) + kAnswerMargin).count());
    sql::ConnectOptionsMap properties;
    const std::string socket = socket_of(url);
    // In brackets the driver takes an address with colons as it is, and any other host too.
    properties["hostName"] =
        sql::SQLString(socket.empty() ? "tcp://[" + url.host + "]" : "unix://" + socket);
    if (socket.empty()) {
        properties["port"] = url.port;  // With one the driver would look for a host.
    }
    properties["userName"] = sql::SQLString(url.user);
    properties["password"] = sql::SQLString(url.password);
    properties["schema"] = sql::SQLString(url.database);
    properties["CLIENT_FOUND_ROWS"] = true;
    properties["OPT_CONNECT_TIMEOUT"] =
        static_cast<int>(std::chrono::ceil<seconds>(connect_timeout(url)).count());
    properties["OPT_READ_TIMEOUT"] = answer_seconds;
    properties["OPT_WRITE_TIMEOUT"] = answer_seconds;
    add_tls(properties, url);
    return properties;
}

std::unique_ptr<sql::Connection> connect(const DatabaseUrl& url) {
    // The driver's own registry is not thread-safe; this makes its first call the only one.
    static sql::Driver* const driver = sql::mysql::get_driver_instance();
    sql::ConnectOptionsMap properties = connect_properties(url);
    // A key that the library does not find it asks the server for, which proves nothing.
    std::optional<MemoryFile> key;
    if (url.options.contains(kServerPublicKeyOption)) {
        key.emplace(mysql_public_key(std::string(option_text(url, kServerPublicKeyOption, {}))));
    }
    const MemoryFile options(guards(url, key));
    properties["readDefaultFile"] = sql::SQLString(options.path());
    return std::unique_ptr<sql::Connection>(driver->connect(properties));
}

/// Comments that begin with `/*M!` are read by MariaDB, those with `/*!8` by MySQL.
std::string session_settings(const DatabaseUrl& url) {
    const auto limit = statement_timeout(url);
    return fmt::format(
        "SET autocommit = 1, time_zone = '+00:00', "
        "sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
        "NO_ENGINE_SUBSTITUTION', "
        "innodb_lock_wait_timeout = 5, lock_wait_timeout = 5, wait_timeout = 600"
        "/*M! , max_statement_time = {} *//*!80000 , max_execution_time = {} */",
        limit.count(),
        schema::Duration(limit).count()
    );
}

std::string value_of(Connection& connection, std::string_view sql, std::size_t column = 0) {
    std::string value;
    connection.query({.sql = sql, .columns = column + 1}, {}, [&](const Row& row) {
        value = row.text(column);
    });
    return value;
}

void require_known_version(Connection& connection) {
    if (const auto refusal = mysql_version_refusal(value_of(connection, "SELECT VERSION()"))) {
        throw DbError(DbErrorKind::other, *refusal);
    }
}

/// Asked for in words, because a user may have the right to write to a replica all the same.
void require_target(Connection& connection, const DatabaseUrl& url) {
    if (option_text(url, kTargetOption, {}) != kReadWrite) {
        return;
    }
    const std::string read_only = value_of(connection, "SELECT @@global.read_only");
    if (read_only != "0" && read_only != "OFF") {
        throw DbError(
            DbErrorKind::read_only,
            "this server takes no writes (its read_only is on): it is a replica"
        );
    }
}

/// Whether due dates may be behind 2038: all times are of the type that an operator has chosen.
bool has_datetimes(Connection& connection) {
    return value_of(
               connection,
               "SELECT data_type FROM information_schema.columns WHERE table_schema = DATABASE() "
               "AND table_name = 'ACT_RU_JOB' AND column_name = 'DUEDATE_'"
           ) == "datetime";
}

/// Looked up once for each connection: an engine makes its tables before ours are completed.
bool has_engine(Connection& connection) {
    return value_of(
               connection,
               "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() "
               "AND table_name = 'ACT_RU_EXECUTION' "
               "AND column_name = 'EXTERNAL_WORKER_JOB_COUNT_'"
           ) == "1";
}

const Dialect& dialect_of(MysqlConnection& connection) {
    if (connection.is_at_shard()) {
        return has_datetimes(connection) ? kMysqlShardDatetimeDialect : kMysqlShardDialect;
    }
    if (has_engine(connection)) {
        return has_datetimes(connection) ? kMysqlEngineDatetimeDialect : kMysqlEngineDialect;
    }
    return has_datetimes(connection) ? kMysqlDatetimeDialect : kMysqlDialect;
}

/// On Galera also who only reads is aborted, as by a deadlock, when another node changes the tables
/// meanwhile: that is over soon.
const Dialect& dialect_in_the_end(MysqlConnection& connection) {
    constexpr int kTries = 20;
    constexpr std::chrono::milliseconds kPause{50};
    for (int tries = 1;; ++tries) {
        // Defended catch: see above.
        try {
            return dialect_of(connection);
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::conflict || tries == kTries) {
                throw;
            }
            std::this_thread::sleep_for(kPause);
        }
    }
}

/// A node of Galera that has lost its cluster still lets us in, and then refuses every table. One
/// that has not may be behind the others: from a new connection, which is where a commit in doubt
/// is asked about, all is seen that the cluster has committed so far.
void require_cluster(Connection& connection) {
    const bool is_galera = value_of(connection, "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'", 1) == "ON";
    if (is_galera && value_of(connection, "SHOW GLOBAL STATUS LIKE 'wsrep_ready'", 1) != "ON") {
        throw DbError(
            DbErrorKind::unreachable,
            "this Galera node is not part of its cluster now (wsrep_ready is not ON)"
        );
    }
    if (is_galera) {
        connection.run_script("SET SESSION wsrep_sync_wait = 1");
        static_cast<void>(value_of(connection, "SELECT 1"));
        connection.run_script("SET SESSION wsrep_sync_wait = DEFAULT");
    }
}

}  // namespace

std::unique_ptr<Connection> open_mysql(const DatabaseUrl& url) {
    const std::string where = fmt::format("cannot open {}", without_password(url));
    // Defended catch: the words of the driver and of the session's first statements get the place
    // and the advice that a person needs.
    try {
        auto connection = std::make_unique<MysqlConnection>(connect(url), url.database);
        require_known_version(*connection);
        require_target(*connection, url);
        connection->run_script("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        connection->run_script(session_settings(url));
        require_cluster(*connection);
        connection->speak(dialect_in_the_end(*connection));
        return connection;
    } catch (const sql::SQLException& error) {
        const int code = error.getErrorCode();
        const std::string_view advice = mysql_connect_advice(code, error.what());
        throw DbError(
            classify_mysql_connect(code, error.what()),
            mysql_error_text(
                advice.empty() ? where : fmt::format("{}: {}", where, advice), error.what(), code
            ) + mysql_grant(error.what(), url.database)
        );
    } catch (const DbError& error) {
        throw DbError(error.kind(), fmt::format("{}: {}", where, error.what()));
    }
}

}  // namespace jobstrand::persistence
