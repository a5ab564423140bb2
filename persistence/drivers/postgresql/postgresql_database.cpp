#include "persistence/drivers/postgresql/postgresql_database.hpp"

#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/postgresql/connect.hpp"
#include "persistence/drivers/postgresql/postgresql_backend.hpp"
#include "persistence/drivers/postgresql/postgresql_dialect.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"
#include "persistence/drivers/soci/soci_connection.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <sys/socket.h>

#include <charconv>
#include <chrono>
#include <regex>
#include <string>
#include <utility>

namespace jobstrand::persistence {

using namespace std::chrono_literals;

AnswerWatch::AnswerWatch(int socket, schema::Duration limit)
    : socket_(socket),
      limit_(limit),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void AnswerWatch::begin() {
    const std::lock_guard lock(mutex_);
    deadline_ = std::chrono::steady_clock::now() + limit_;
    was_used_ = true;
    if (is_asleep_) {
        changed_.notify_one();
    }
}

void AnswerWatch::end() {
    const std::lock_guard lock(mutex_);
    deadline_.reset();
}

// The thread looks once in `limit_`, or at a deadline; it is woken only after a time without any
// use. To wake it for every answer would cost a switch of threads each.
void AnswerWatch::watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        if (!was_used_) {
            is_asleep_ = true;
            changed_.wait(lock, stop, [this] { return was_used_; });
            is_asleep_ = false;
        }
        was_used_ = deadline_.has_value();
        const schema::SteadyPoint now = std::chrono::steady_clock::now();
        if (deadline_ && *deadline_ <= now) {
            ::shutdown(socket_, SHUT_RDWR);
            deadline_.reset();
        }
        changed_.wait_until(lock, stop, deadline_.value_or(now + limit_), [] { return false; });
    }
}

namespace {

constexpr int kOldest = 130000;

/// Before 10 a version had three numbers.
std::string version_text(int number) {
    constexpr int kFirstOfTwoNumbers = 100000;
    return number >= kFirstOfTwoNumbers
               ? fmt::format("{}.{}", number / 10000, number % 10000)
               : fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace

std::optional<std::string> postgresql_version_refusal(int number) {
    if (number >= kOldest) {
        return std::nullopt;
    }
    return fmt::format(
        "the server is PostgreSQL {}, which is too old: 13 is the oldest that works",
        version_text(number)
    );
}

bool is_postgresqls_own_version(std::string_view text) {
    static const std::regex kOwn(R"(\d+(\.\d+|devel|beta\d+|rc\d+)( \(.*\))?)");
    return std::regex_match(text.begin(), text.end(), kOwn);
}

namespace {

class PostgresqlListener final : public JobListener {
public:
    explicit PostgresqlListener(std::unique_ptr<soci::session> session)
        : session_(std::move(session)),
          connection_(static_cast<soci::postgresql_session_backend*>(session_->get_backend())->conn_
          ) {}

    [[nodiscard]] int socket() const override { return PQsocket(connection_); }

    [[nodiscard]] bool take_announcements() override {
        if (PQconsumeInput(connection_) == 0) {
            throw DbError(
                DbErrorKind::connection_lost,
                postgresql_error_text("LISTEN", PQerrorMessage(connection_), {})
            );
        }
        bool is_any = false;
        while (PGnotify* const announcement = PQnotifies(connection_)) {
            PQfreemem(announcement);
            is_any = true;
        }
        return is_any;
    }

private:
    const std::unique_ptr<soci::session> session_;
    PGconn* const connection_;
};

}  // namespace

bool announces_jobs(const DatabaseUrl& url) {
    return option_text(url, "notify", "on") == "on";
}

std::unique_ptr<JobListener> listen_to_postgresql(const DatabaseUrl& url) {
    // Defended catch: the words of the driver get the place that a person needs.
    try {
        auto session = connect_to_postgresql(url);
        PostgresqlBackend().run_script(*session, "LISTEN jobstrand");
        return std::make_unique<PostgresqlListener>(std::move(session));
    } catch (const DbError& error) {
        throw DbError(
            error.kind(),
            fmt::format("cannot listen to {}: {}", without_password(url), error.what())
        );
    }
}

namespace {

/// A commit with a NOTIFY waits until no other such commit is under way, in the whole server. So
/// not every one announces: who has heard of the one before is still looking around.
constexpr schema::Duration kAnnouncementInterval = 20ms;

/// While it lives, an answer is waited for.
class Waiting final {
public:
    explicit Waiting(AnswerWatch& watch) : watch_(watch) { watch_.begin(); }
    ~Waiting() { watch_.end(); }

    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    AnswerWatch& watch_;
};

}  // namespace

PostgresqlConnection::PostgresqlConnection(
    std::unique_ptr<Connection> connection,
    const Settings& settings
)
    : connection_(std::move(connection)),
      dialect_(settings.has_engine ? kPostgresqlEngineDialect : kPostgresqlDialect),
      announces_jobs_(settings.announces_jobs),
      watch_(settings.socket, settings.answer_limit) {}

std::int64_t
PostgresqlConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    const Waiting waiting(watch_);
    return connection_->execute(sql, parameters);
}

bool PostgresqlConnection::copy_in(const NewRows& rows) {
    if (!copies_) {
        return false;
    }
    const Waiting waiting(watch_);
    // Defended catch: where it is not supported (row-level security, a server that only speaks the
    // protocol) the transaction runs again, now with statements.
    try {
        return connection_->copy_in(rows);
    } catch (const DbError& error) {
        if (!is_unsupported(error)) {
            throw;
        }
        copies_ = false;
        throw DbError(DbErrorKind::conflict, error.what());
    }
}

void PostgresqlConnection::query(
    Query query,
    std::span<const Value> parameters,
    const RowReader& read
) {
    const Waiting waiting(watch_);
    connection_->query(query, parameters, [&](const Row& row) {
        // The reader may take its time: all rows are here.
        watch_.end();
        read(row);
    });
}

void PostgresqlConnection::begin() {
    const Waiting waiting(watch_);
    connection_->begin();
    is_announcing_ = false;
}

void PostgresqlConnection::announce_jobs() {
    if (announces_jobs_ && !is_announcing_ && !has_just_announced()) {
        execute("NOTIFY jobstrand", {});
        is_announcing_ = true;
    }
}

bool PostgresqlConnection::has_just_announced() const {
    return std::chrono::steady_clock::now() < announced_at_ + kAnnouncementInterval;
}

void PostgresqlConnection::commit() {
    const Waiting waiting(watch_);
    connection_->commit();
    if (std::exchange(is_announcing_, false)) {
        announced_at_ = std::chrono::steady_clock::now();
    }
}

void PostgresqlConnection::rollback() noexcept {
    const Waiting waiting(watch_);
    connection_->rollback();
}

namespace {

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

void require_known_version(Connection& connection) {
    const std::string text = one_text(connection, "SHOW server_version_num");
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (const auto refusal = postgresql_version_refusal(number)) {
        throw DbError(DbErrorKind::other, *refusal);
    }
}

/// Any other encoding lacks characters, and SQL_ASCII takes what is none.
void require_utf8(Connection& connection) {
    const std::string encoding = one_text(connection, "SHOW server_encoding");
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
    return one_text(
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
