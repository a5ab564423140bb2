#include "persistence/drivers/postgresql/postgresql_database.hpp"

#include "persistence/drivers/postgresql/connect.hpp"
#include "persistence/drivers/postgresql/postgresql_backend.hpp"
#include "persistence/drivers/postgresql/postgresql_connection.hpp"
#include "persistence/drivers/postgresql/postgresql_listener.hpp"
#include "persistence/drivers/postgresql/postgresql_version.hpp"
#include "persistence/drivers/soci/soci_connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/url/url_options.hpp"

#include <fmt/format.h>
#include <soci/soci.h>

#include <charconv>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;

const PostgresqlBackend kBackend;

/// How texts and times are written and what a transaction sees, first of all.
constexpr std::string_view kWriteLikeThis =
    "SET client_encoding = 'UTF8';"
    "SET timezone = 'UTC';"
    "SET datestyle = 'ISO, YMD';"
    "SET bytea_output = 'hex';"
    "SET standard_conforming_strings = on;"
    "SET default_transaction_isolation = 'read committed';"
    "SET default_transaction_read_only = off;"
    "SET default_transaction_deferrable = off;";

/// The key's index and nothing else; one plan for all values of the parameters, because planning
/// takes longer than running. What is switched off seems so costly that the compiler would start
/// for every statement (jit), and so would processes beside it: to count 20,000 rows by the key
/// takes 4 ms alone, and 15 with two of them.
constexpr std::string_view kGoByKeys =
    "SET enable_seqscan = off;"
    "SET enable_bitmapscan = off;"
    "SET enable_hashjoin = off;"
    "SET enable_mergejoin = off;"
    "SET plan_cache_mode = 'force_generic_plan';"
    "SET max_parallel_workers_per_gather = 0;"
    "SET jit = off;";

std::string time_limits(const DatabaseUrl& url) {
    return fmt::format(
        "SET statement_timeout = {};"
        "SET lock_timeout = {};"
        "SET idle_in_transaction_session_timeout = {};",
        postgresql_statement_timeout(url).count(),
        option_duration(url, "lock_timeout", 5s).count(),
        schema::Duration(10min).count()
    );
}

/// Left as the server has it, unless the URL says otherwise.
std::string durability(const DatabaseUrl& url) {
    const std::string_view word = option_text(url, "synchronous_commit", {});
    return word.empty() ? "" : fmt::format("SET synchronous_commit = {};", word);
}

std::string value_of(Connection& connection, std::string_view sql) {
    std::string value;
    const auto read = [&value](const Row& row) { value = row.text(0); };
    connection.query({.sql = sql, .columns = 1}, {}, read);
    return value;
}

void require_known_version(Connection& connection) {
    const std::string text = value_of(connection, "SHOW server_version_num");
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (const auto refusal = postgresql_version_refusal(number)) {
        throw DbError(DbErrorKind::other, *refusal);
    }
}

/// Any other encoding lacks characters, and SQL_ASCII takes what is none.
void require_utf8(Connection& connection) {
    const std::string encoding = value_of(connection, "SHOW server_encoding");
    if (encoding != "UTF8") {
        throw DbError(
            DbErrorKind::other,
            fmt::format(
                "the database has the encoding {}, and payloads may have any character: create it "
                "with ENCODING 'UTF8'",
                encoding
            )
        );
    }
}

/// Looked up once for each connection: an engine makes its tables before ours are completed.
bool has_engine(Connection& connection) {
    return value_of(
               connection,
               "SELECT COUNT(*) FROM pg_attribute WHERE attrelid = to_regclass('act_ru_execution')"
               " AND attname = 'external_worker_job_count_'"
           ) == "1";
}

}  // namespace

std::unique_ptr<Connection> open_postgresql(const DatabaseUrl& url) {
    // Defended catch: the words of the driver and of the session's first statements get the place
    // that a person needs.
    try {
        auto session = connect_to_postgresql(url);
        const int socket = postgresql_socket(*session);
        auto connection = std::make_unique<SociConnection>(std::move(session), kBackend);
        require_known_version(*connection);
        require_utf8(*connection);
        connection->run_script(kWriteLikeThis);
        connection->run_script(kGoByKeys);
        connection->run_script(time_limits(url) + durability(url));
        const PostgresqlConnection::Settings settings{
            .socket = socket,
            .answer_limit = postgresql_answer_limit(url),
            .announces_jobs = announces_jobs(url),
            .has_engine = has_engine(*connection)};
        return std::make_unique<PostgresqlConnection>(std::move(connection), settings);
    } catch (const DbError& error) {
        throw DbError(
            error.kind(), fmt::format("cannot open {}: {}", without_password(url), error.what())
        );
    }
}

}  // namespace jobstrand::persistence
