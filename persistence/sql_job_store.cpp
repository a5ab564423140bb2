#include "persistence/sql_job_store.hpp"

#include <chrono>

namespace jobstrand::persistence {

SqlJobStore::SqlJobStore(SessionPool& pool, schema::Log& log, RetryLimits limits)
    : runner_(pool, log, limits) {}

void SqlJobStore::in_transaction(
    const std::function<void(Transaction&)>& work,
    const std::function<bool(Transaction&)>& was_committed
) {
    runner_.run(work, was_committed);
}

std::string SqlJobStore::new_byte_array_id() {
    const std::lock_guard lock(ids_mutex_);
    // Only the order of these ids depends on the time, so any clock will do.
    return ids_.next(std::chrono::floor<schema::Duration>(std::chrono::system_clock::now()));
}

}  // namespace jobstrand::persistence
