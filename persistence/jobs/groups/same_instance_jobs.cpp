#include "persistence/jobs/groups/same_instance_jobs.hpp"

#include "persistence/candidates/served_condition.hpp"
#include "persistence/exclusive/group_locks.hpp"
#include "persistence/jobs/claim_rows.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

// Without an order and without a word about ids: no database then reads all jobs of an instance to
// sort them, nor takes the key for the shorter way. Along the index they come in its order.
constexpr std::string_view kOfInstances = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_instance}
    WHERE PROCESS_INSTANCE_ID_ IN (...) AND LOCK_EXP_TIME_ IS NULL
        AND EXCLUSIVE_ = ? AND {served}
    LIMIT ?
    {skip_locked})sql";

/// Of the groups that the claim has just taken, without those of jobs that meet limits. Borrowed.
std::vector<std::string_view> instances_in(
    const std::vector<Job>& jobs,
    const JoinedGroups& joined,
    schema::ExclusiveOver over,
    const schema::JobLimits& limits
) {
    std::set<std::string_view> instances;
    for (const Job& job : jobs) {
        if (joined.taken.contains(schema::exclusive_group(job, over)) && !limits.meets(job)) {
            instances.insert(job.process_instance_id);
        }
    }
    return {instances.begin(), instances.end()};
}

BoundStatement select_of(const ServedJobs& served, const Dialect& dialect) {
    BoundStatement select = condition_of(served, dialect);
    select.sql = fmt::format(
        kOfInstances,
        fmt::arg("columns", selected_of(JobPlace::executable, dialect)),
        fmt::arg("by_instance", by_index(dialect, schema::kInstanceIndex.index.name)),
        fmt::arg("served", select.sql),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    select.parameters.insert(select.parameters.begin(), Value{true});
    return select;
}

/// Free ones, up to `room`, those of each instance in the order of their ids. Rows that cannot be
/// read are left to the page that comes to them.
std::vector<Job> read_besides(
    Transaction& transaction,
    const ServedJobs& served,
    std::span<const std::string_view> instances,
    std::size_t room
) {
    BoundStatement select = select_of(served, transaction.dialect());
    select.parameters.emplace_back();
    JobRows found;
    found.jobs.reserve(room);
    for (auto& [text, values] :
         cut_id_list(select.sql, {.ids = instances, .after = std::move(select.parameters)})) {
        if (found.jobs.size() == room) {
            break;
        }
        values.back() = static_cast<std::int64_t>(room - found.jobs.size());
        transaction.query(
            {.sql = text, .columns = fields_of(JobPlace::executable).size()},
            values,
            append_to(found, JobPlace::executable)
        );
    }
    // Along the index they come so. To move a job is to move two dozen texts.
    const auto by_instance = [](const Job& job) {
        return std::pair<std::string_view, std::string_view>(job.process_instance_id, job.id);
    };
    if (!std::ranges::is_sorted(found.jobs, {}, by_instance)) {
        sort_by_id(found.jobs);
    }
    return std::move(found.jobs);
}

void drop_suspended(Transaction& transaction, std::vector<Job>& jobs) {
    std::vector<const Job*> all;
    for (const Job& job : jobs) {
        all.push_back(&job);
    }
    const SuspendedScopes suspended = find_suspended(transaction, all);
    std::erase_if(jobs, [&](const Job& job) { return suspended.contain(job); });
}

/// Those of other groups, those that meet limits, and of each group what is too much for its
/// holder.
void drop_unwanted(
    std::vector<Job>& jobs,
    const JoinedGroups& joined,
    schema::ExclusiveOver over,
    const schema::JobLimits& limits
) {
    std::map<std::string, std::int64_t, std::less<>> claimed = joined.taken;
    std::erase_if(jobs, [&](const Job& job) {
        const auto group = claimed.find(schema::exclusive_group(job, over));
        if (group == claimed.end() || limits.meets(job) ||
            schema::may_claim_of_group(group->second, 1) == 0) {
            return true;
        }
        ++group->second;
        return false;
    });
}

void count_in_groups(
    Transaction& transaction,
    const LockClaim& claim,
    schema::ExclusiveOver over,
    const std::vector<Job>& jobs
) {
    GroupCounts counts;
    for (const Job& job : jobs) {
        ++counts[schema::exclusive_group(job, over)];
    }
    count_claimed(transaction, claim, counts);
}

}  // namespace

std::size_t add_same_instance_jobs(
    Transaction& transaction,
    const SameInstanceSearch& search,
    const JoinedGroups& joined,
    std::vector<Job>& jobs
) {
    const auto& [context, claim, served, limit] = search;
    if (limit.same_instance == 0 || joined.taken.empty()) {
        return 0;
    }
    const auto limits = context.limits.current();
    const auto instances = instances_in(jobs, joined, context.exclusive_over, *limits);
    const auto of_each = static_cast<std::size_t>(schema::kMostClaimedOfGroup);
    std::vector<Job> besides = read_besides(
        transaction, served, instances, std::min(limit.same_instance, instances.size() * of_each)
    );
    use_served_names(besides, served.types);
    drop_unwanted(besides, joined, context.exclusive_over, *limits);
    drop_suspended(transaction, besides);
    cut_to_bytes_left(transaction, jobs, besides, limit.bytes);
    (void)claim_rows(transaction, JobPlace::executable, claim, besides);
    count_in_groups(transaction, claim, context.exclusive_over, besides);
    jobs.reserve(jobs.size() + besides.size());
    std::ranges::move(besides, std::back_inserter(jobs));
    return besides.size();
}

}  // namespace jobstrand::persistence
