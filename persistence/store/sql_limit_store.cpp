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

std::vector<schema::JobLimit> SqlStore::limits() {
    return all_limits(context_);
}

void SqlStore::set_limit(const schema::JobLimit& limit) {
    persistence::set_limit(context_, limit);
}

bool SqlStore::remove_limit(const schema::JobLimit& limit) {
    return persistence::remove_limit(context_, limit);
}

std::vector<GroupUse> SqlStore::group_uses() {
    return persistence::group_uses(context_);
}

GroupRuns SqlStore::runs_of_group(std::string_view group) {
    return persistence::runs_of_group(context_, group);
}

}  // namespace jobstrand::persistence
