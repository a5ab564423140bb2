#include "persistence/drivers/postgresql/postgresql_connection.hpp"

#include "persistence/drivers/postgresql/postgresql_dialect.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"

#include <chrono>
#include <utility>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;

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
    // Defended catch: what is not supported (row-level security, a server that only speaks the
    // protocol) is `conflict`, so that the transaction runs again, now with statements.
    try {
        return connection_->copy_in(rows);
    } catch (const DbError& error) {
        copies_ = !is_unsupported(error);
        throw;
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

}  // namespace jobstrand::persistence
