#include "persistence/jobs/executor_moves.hpp"
#include "persistence/limits/idle_groups.hpp"
#include "persistence/limits/limit_rows.hpp"
#include "persistence/store/sql_store.hpp"

namespace jobstrand::persistence {

bool SqlStore::refresh_limits() {
    return persistence::refresh_limits(context_);
}

bool SqlStore::meets_limit(const schema::Job& job) {
    return limits_.meet(job);
}

LimitedJobs SqlStore::acquire_limited(
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    std::string_view behind
) {
    return persistence::acquire_limited(context_, claim, served, limit, behind);
}

std::string SqlStore::forget_idle_groups(std::string_view behind, schema::TimePoint now) {
    return persistence::forget_idle_groups(context_, behind, now);
}

}  // namespace jobstrand::persistence
