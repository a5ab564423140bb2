#include "persistence/store/sql_store.hpp"

#include "persistence/rows/move_jobs.hpp"
#include "persistence/sql/db_error.hpp"

#include <chrono>

namespace jobstrand::persistence {

SqlStore::SqlStore(
    SessionPool& pool,
    schema::Log& log,
    const schema::SeriesSchedule& schedule,
    RetryLimits limits
)
    : runner_(pool, log, limits), log_(log), schedule_(schedule) {}

void SqlStore::in_transaction(
    const std::function<void(Transaction&)>& work,
    const std::function<bool(Transaction&)>& was_committed
) {
    runner_.run(work, was_committed);
}

SeriesTools SqlStore::series_tools() {
    return {.schedule = schedule_, .log = log_, .new_id = [this] { return new_id(); }};
}

std::string SqlStore::new_id() {
    const std::lock_guard lock(ids_mutex_);
    // Only the order of these ids depends on the time, so any clock will do.
    return ids_.next(std::chrono::floor<schema::Duration>(std::chrono::system_clock::now()));
}

void SqlStore::run_burying_twins(
    Twins& twins,
    const TransactionRunner::Work& move,
    const TransactionRunner::WasCommitted& was_committed
) {
    // Defended catch: one row must not stop the page that it stands in.
    try {
        runner_.run(move, was_committed);
        return;
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::duplicate_key) {
            throw;
        }
    }
    twins.are_expected = true;
    runner_.run(move, was_committed);
    for (const std::string& id : twins.buried) {
        log_.write(
            schema::LogLevel::warn,
            "another job with this id stands where it was to go: it is a dead letter now",
            {{"job", id}}
        );
    }
}

}  // namespace jobstrand::persistence
