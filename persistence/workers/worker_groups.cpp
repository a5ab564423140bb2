#include "persistence/workers/worker_groups.hpp"

#include "persistence/exclusive/group_locks.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::ExclusiveOver;
using schema::Job;

constexpr std::string_view kEnd = R"sql(
    UPDATE JS_EXCLUSIVE {by_id}
    SET LOCK_EXP_TIME_ = ?
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ?)sql";

/// As whom a worker holds groups. A worker may call itself what it likes, a node too; the groups of
/// that node are none of its.
std::string holder_of(std::string_view worker) {
    return fmt::format("worker {}", worker);
}

std::vector<std::string_view> groups_of(std::span<const Job> jobs, ExclusiveOver over) {
    std::set<std::string_view> groups;
    for (const Job& job : jobs) {
        if (const std::string_view group = schema::exclusive_group(job, over); !group.empty()) {
            groups.insert(group);
        }
    }
    return {groups.begin(), groups.end()};
}

}  // namespace

std::size_t take_free_groups(
    Transaction& transaction,
    const LockClaim& claim,
    ExclusiveOver over,
    std::vector<Job>& jobs
) {
    const std::vector<std::string_view> wanted = groups_of(jobs, over);
    if (wanted.empty()) {
        return 0;
    }
    const HeldGroups held = find_held(transaction, wanted);
    GroupCounts taken;
    for (const std::string_view group : wanted) {
        if (!held.contain(group)) {
            taken.emplace(group, 1);
        }
    }
    const std::string holder = holder_of(claim.owner);
    (void)take_groups(transaction, {holder, claim.until}, taken);
    // Decided before any job moves, because the names are borrowed from the jobs.
    std::vector<bool> are_in;
    for (const Job& job : jobs) {
        const std::string_view name = schema::exclusive_group(job, over);
        const auto group = taken.find(name);
        are_in.push_back(name.empty() || (group != taken.end() && group->second-- > 0));
    }
    std::size_t next = 0;
    return std::erase_if(jobs, [&](const Job&) { return !are_in[next++]; });
}

void drop_without_group(
    Transaction& transaction,
    std::string_view worker,
    ExclusiveOver over,
    schema::TimePoint now,
    std::vector<Job>& rows
) {
    const std::vector<std::string_view> groups = groups_of(rows, over);
    if (groups.empty()) {
        return;
    }
    const std::vector<std::string> held = held_groups(transaction, holder_of(worker), groups);
    std::erase_if(rows, [&](const Job& row) {
        const std::string_view group = schema::exclusive_group(row, over);
        // The group's lock has ended with the job's: another one may have it although nobody has
        // looked for this job since.
        return !group.empty() && (!is_locked(row, now) || !std::ranges::binary_search(held, group));
    });
}

void extend_groups_of(
    Transaction& transaction,
    const LockClaim& claim,
    ExclusiveOver over,
    std::span<const Job> rows
) {
    const std::vector<std::string_view> groups = groups_of(rows, over);
    const std::string holder = holder_of(claim.owner);
    if (!groups.empty() && !extend_groups(transaction, {holder, claim.until}, groups).empty()) {
        throw DbError(DbErrorKind::conflict, "a group was lost while it was held");
    }
}

bool end_groups_of(
    Transaction& transaction,
    std::string_view worker,
    ExclusiveOver over,
    schema::TimePoint now,
    std::span<const Job> rows
) {
    const std::vector<std::string_view> groups = groups_of(rows, over);
    const std::string holder = holder_of(worker);
    const std::string sql = fmt::format(kEnd, fmt::arg("by_id", transaction.dialect().by_id));
    const IdListParameters parameters{
        .before = {now - std::chrono::milliseconds(1)}, .ids = groups, .after = {holder}};
    execute_for_ids(transaction, sql, parameters);
    return !groups.empty();
}

}  // namespace jobstrand::persistence
