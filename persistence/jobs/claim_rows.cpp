#include "persistence/jobs/claim_rows.hpp"

#include "persistence/jobs/served_condition.hpp"
#include "persistence/limits/exclusive_groups.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
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

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

namespace {

constexpr std::string_view kLock = R"sql(
    UPDATE {table} {by_key}
    SET LOCK_OWNER_ = ?, LOCK_EXP_TIME_ = ?, REV_ = COALESCE(REV_, 1) + 1
    WHERE {which})sql";

constexpr std::string_view kNamed = "ID_ IN (...)";
constexpr std::string_view kInRange =
    "{behind} AND ID_ <= ? AND LOCK_EXP_TIME_ IS NULL AND {served}";

void mark_locked(std::vector<Job>& jobs, const LockClaim& claim) {
    for (Job& job : jobs) {
        job.lock_owner = claim.owner;
        job.lock_expiration = claim.until;
        ++job.revision;
    }
}

/// Returns whether all are locked, by the number of rows that were; else it drops those that are
/// not. Only a row whose lock was counted may run: one that its id does not find would run again
/// and again.
bool keep_locked(
    Transaction& transaction,
    JobPlace place,
    std::string_view owner,
    std::int64_t locked,
    std::vector<Job>& jobs
) {
    if (std::cmp_equal(locked, jobs.size())) {
        return true;
    }
    const auto held = held_for_update(transaction, owner, fenced(jobs), place);
    std::erase_if(jobs, [&](const Job& job) { return !held.contains(job.id); });
    return false;
}

/// Of suspended jobs whose id stood in the suspended place already.
void log_duplicates(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    std::span<const PlacedJob> moves
) {
    std::vector<NewDeadLetter> dead;
    for (const PlacedJob& placed : moves) {
        if (placed.place == JobPlace::dead_letter) {
            dead.push_back(
                {.job = &placed.job, .from = from, .reason = schema::TransitionReason::id_taken}
            );
        }
    }
    if (!dead.empty()) {
        log_unplanned_dead_letters(transaction, context, dead, context.clock.now());
    }
}

}  // namespace

void move_suspended(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
    std::vector<Job>& candidates,
    DuplicateIds& duplicates
) {
    std::vector<const Job*> all;
    for (const Job& job : candidates) {
        all.push_back(&job);
    }
    const SuspendedScopes suspended = find_suspended(transaction, all);
    std::vector<PlacedJob> moves;
    std::erase_if(candidates, [&](const Job& job) {
        const bool is_suspended = suspended.contain(job);
        if (is_suspended) {
            moves.push_back(moved(job, schema::suspended(job, place)));
        }
        return is_suspended;
    });
    divert_duplicates(transaction, context, place, moves, duplicates);
    move_rows(transaction, place, moves);
    log_duplicates(transaction, context, place, moves);
}

bool claim_rows(
    Transaction& transaction,
    JobPlace place,
    const LockClaim& claim,
    std::vector<Job>& jobs
) {
    mark_locked(jobs, claim);
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_key", transaction.dialect().by_id),
        fmt::arg("which", kNamed)
    );
    const std::vector<std::string_view> ids = ids_of(jobs);
    const std::int64_t locked =
        execute_for_ids(transaction, sql, {.before = {claim.owner, claim.until}, .ids = ids});
    return keep_locked(transaction, place, claim.owner, locked, jobs);
}

bool claim_range(
    Transaction& transaction,
    const LockClaim& claim,
    const ServedJobs& served,
    const IdRange& range,
    std::vector<Job>& jobs
) {
    if (jobs.empty()) {
        return true;
    }
    mark_locked(jobs, claim);
    const JobPlace place = JobPlace::executable;
    const Dialect& dialect = transaction.dialect();
    BoundStatement which = condition_of(served, dialect);
    which.sql = fmt::format(
        kInRange, fmt::arg("behind", ids_behind(range.behind)), fmt::arg("served", which.sql)
    );
    std::vector<Value> parameters{claim.owner, claim.until, range.behind, range.last};
    std::ranges::move(which.parameters, std::back_inserter(parameters));
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_key", dialect.by_key),
        fmt::arg("which", which.sql)
    );
    const std::int64_t locked = transaction.execute(sql, parameters);
    return keep_locked(transaction, place, claim.owner, locked, jobs);
}

namespace {

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

void require_in_time(const StoreContext& context, const LockClaim& claim) {
    if (claim.is_late && claim.is_late()) {
        context.log.write(
            schema::LogLevel::warn,
            "jobs could not be locked in time: the database takes nearly as long as their lock time"
        );
        throw NothingClaimed{};
    }
}

SameInstanceJobs find_same_instance_jobs(
    Transaction& transaction,
    const SameInstanceSearch& search,
    const JoinedGroups& joined,
    const std::vector<Job>& jobs
) {
    const auto& [context, claim, served, limit] = search;
    if (limit.same_instance == 0 || joined.taken.empty()) {
        return {};
    }
    const auto limits = context.limits.current();
    const auto instances = instances_in(jobs, joined, context.exclusive_over, *limits);
    const auto of_each = static_cast<std::size_t>(schema::kMostClaimedOfGroup);
    std::vector<Job> besides = read_besides(
        transaction, served, instances, std::min(limit.same_instance, instances.size() * of_each)
    );
    const std::size_t locked = besides.size();
    use_served_names(besides, served.types);
    drop_unwanted(besides, joined, context.exclusive_over, *limits);
    drop_suspended(transaction, besides);
    cut_to_bytes_left(transaction, jobs, besides, limit.bytes);
    const bool are_all_locked = besides.size() == locked;
    return {.jobs = std::move(besides), .are_all_locked = are_all_locked};
}

std::size_t claim_same_instance_jobs(
    Transaction& transaction,
    const SameInstanceSearch& search,
    std::vector<Job> found,
    std::vector<Job>& jobs
) {
    (void)claim_rows(transaction, JobPlace::executable, search.claim, found);
    count_in_groups(transaction, search.claim, search.context.exclusive_over, found);
    jobs.reserve(jobs.size() + found.size());
    std::ranges::move(found, std::back_inserter(jobs));
    return found.size();
}

}  // namespace jobstrand::persistence
