#include "persistence/sql_job_store.hpp"

#include <chrono>

namespace jobstrand::persistence {

SqlJobStore::SqlJobStore(
    SessionPool& pool,
    schema::Log& log,
    const schema::SeriesSchedule& schedule,
    RetryLimits limits
)
    : runner_(pool, log, limits), log_(log), schedule_(schedule) {}

void SqlJobStore::in_transaction(
    const std::function<void(Transaction&)>& work,
    const std::function<bool(Transaction&)>& was_committed
) {
    runner_.run(work, was_committed);
}

SeriesTools SqlJobStore::series_tools() {
    return {.schedule = schedule_, .log = log_, .new_id = [this] { return new_id(); }};
}

std::string SqlJobStore::new_id() {
    const std::lock_guard lock(ids_mutex_);
    // Only the order of these ids depends on the time, so any clock will do.
    return ids_.next(std::chrono::floor<schema::Duration>(std::chrono::system_clock::now()));
}

}  // namespace jobstrand::persistence
