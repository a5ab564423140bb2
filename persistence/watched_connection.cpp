#include "persistence/watched_connection.hpp"

#include <utility>

namespace jobstrand::persistence {

namespace {

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

WatchedConnection::WatchedConnection(
    std::unique_ptr<Connection> connection,
    int socket,
    schema::Duration answer_limit
)
    : connection_(std::move(connection)), watch_(socket, answer_limit) {}

std::int64_t WatchedConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    const Waiting waiting(watch_);
    return connection_->execute(sql, parameters);
}

void WatchedConnection::query(
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

void WatchedConnection::begin() {
    const Waiting waiting(watch_);
    connection_->begin();
}

void WatchedConnection::commit() {
    const Waiting waiting(watch_);
    connection_->commit();
}

void WatchedConnection::rollback() noexcept {
    const Waiting waiting(watch_);
    connection_->rollback();
}

}  // namespace jobstrand::persistence
