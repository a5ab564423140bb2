#include "persistence/candidates/limited_candidates.hpp"

#include "persistence/candidates/served_condition.hpp"
#include "persistence/exclusive/waiting_jobs.hpp"
#include "persistence/limits/limit_slots.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

/// Groups of one look.
constexpr std::int64_t kGroupsOfOneLook = 256;

/// Rows without a waiting job that one look deletes of a group.
constexpr std::int64_t kAbandonedOfOneLook = 100;

// From one group to the next along the key, so that the jobs of a group are not read.
constexpr std::string_view kWaitingGroups = R"sql(
    WITH RECURSIVE G (GROUP_, NUMBER_) AS (
        SELECT MIN(GROUP_), 1
        FROM JS_LIMIT_WAITING
        WHERE GROUP_ > ?
        UNION ALL
        SELECT (SELECT MIN(W.GROUP_) FROM JS_LIMIT_WAITING W WHERE W.GROUP_ > G.GROUP_), NUMBER_ + 1
        FROM G
        WHERE G.GROUP_ IS NOT NULL AND NUMBER_ < ?
    )
    SELECT GROUP_
    FROM G
    WHERE GROUP_ IS NOT NULL
    ORDER BY GROUP_)sql";

constexpr std::string_view kServedOfGroup = R"sql(
    SELECT W.ID_
    FROM JS_LIMIT_WAITING W
    JOIN ACT_RU_JOB J ON J.ID_ = W.ID_
    WHERE W.GROUP_ = ? AND J.LOCK_OWNER_ = ? AND {served}
    ORDER BY W.ID_
    LIMIT ?)sql";

constexpr std::string_view kAbandoned = R"sql(
    SELECT W.ID_
    FROM JS_LIMIT_WAITING W
    LEFT JOIN ACT_RU_JOB J ON J.ID_ = W.ID_ AND J.LOCK_OWNER_ = ?
    WHERE W.GROUP_ = ? AND J.ID_ IS NULL
    ORDER BY W.ID_
    LIMIT ?)sql";

std::vector<std::string> waiting_groups_behind(Connection& connection, std::string_view behind) {
    std::vector<std::string> groups;
    const std::array<Value, 2> parameters{behind, kGroupsOfOneLook};
    connection.query({.sql = kWaitingGroups, .columns = 1}, parameters, [&](const Row& row) {
        groups.emplace_back(row.text(0));
    });
    return groups;
}

/// So that nobody walks over all that waits in them, only to find nothing that it serves.
void leave_out_unserved(std::vector<std::string>& groups, const ServedJobs& served) {
    std::set<std::string, std::less<>> of_types;
    for (const std::string& type : served.types) {
        of_types.insert(schema::group_name(schema::LimitKind::type, type));
    }
    std::erase_if(groups, [&](const std::string& group) {
        return schema::is_of_kind(group, schema::LimitKind::type) && !of_types.contains(group);
    });
}

std::vector<WaitingJob> served_of_group(
    Transaction& transaction,
    const ServedJobs& served,
    std::string_view group,
    std::size_t limit
) {
    BoundStatement query = condition_of(served, transaction.dialect());
    query.sql = fmt::format(kServedOfGroup, fmt::arg("served", query.sql));
    query.parameters.insert(query.parameters.begin(), {group, schema::kLimitedOwner});
    query.parameters.emplace_back(static_cast<std::int64_t>(limit));
    std::vector<WaitingJob> jobs;
    transaction.query({.sql = query.sql, .columns = 1}, query.parameters, [&](const Row& row) {
        jobs.push_back({.group = std::string(group), .id = std::string(row.text(0))});
    });
    return jobs;
}

void forget_abandoned(Transaction& transaction, std::string_view group) {
    std::vector<WaitingJob> abandoned;
    transaction.query(
        {.sql = kAbandoned, .columns = 1},
        {schema::kLimitedOwner, group, kAbandonedOfOneLook},
        [&](const Row& row) {
            abandoned.push_back({.group = std::string(group), .id = std::string(row.text(0))});
        }
    );
    forget_waiting(transaction, kForLimit, abandoned);
}

/// Those that this page may take, which wait no more.
void take_from_waiting(
    Transaction& transaction,
    std::vector<WaitingJob> waiting,
    const PageLimit& limit,
    JobRows& rows
) {
    std::vector<std::string_view> ids;
    for (const WaitingJob& job : waiting) {
        ids.emplace_back(job.id);
    }
    std::ranges::sort(ids);
    rows = checked_for_update(transaction, JobPlace::executable, ids);
    const auto is_changed = [](const schema::Job& job) { return !schema::waits_for_limit(job); };
    std::erase_if(rows.jobs, is_changed);
    std::erase_if(rows.unreadable, is_changed);
    const std::vector<schema::Job> all = rows.jobs;
    (void)cut_to_bytes(transaction, rows.jobs, limit.bytes);
    std::erase_if(waiting, [&](const WaitingJob& one) {
        const bool was_there = std::ranges::find(all, one.id, &schema::Job::id) != all.end();
        return was_there &&
               std::ranges::find(rows.jobs, one.id, &schema::Job::id) == rows.jobs.end();
    });
    forget_waiting(transaction, kForLimit, waiting);
}

void look_at(
    const schema::LimitedGroup& group,
    const schema::GroupLoad& load,
    schema::TimePoint now,
    WaitingGroups& found
) {
    const std::int64_t room = schema::room_in(group, load, now);
    if (room > 0) {
        found.with_room.push_back({.group = group.name, .room = static_cast<std::size_t>(room)});
    }
    if (group.rate) {
        const schema::Duration wait = schema::until_next_starts(*group.rate, load.used_until, now);
        if (wait > schema::Duration{0}) {
            found.until_next = std::min(found.until_next.value_or(wait), wait);
        }
    }
}

}  // namespace

WaitingGroups waiting_groups(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    std::string_view behind
) {
    const auto limits = context.limits.current();
    WaitingGroups found;
    context.runner.read([&](Connection& connection) {
        found = {};
        std::vector<std::string> groups = waiting_groups_behind(connection, behind);
        if (std::cmp_equal(groups.size(), kGroupsOfOneLook)) {
            found.end = groups.back();
        }
        leave_out_unserved(groups, served);
        const std::vector<std::string_view> names(groups.begin(), groups.end());
        const SlotsRead slots = read_slots(connection, claim.owner, names);
        const UsedRates used =
            limits->have_rates() ? read_used_rates(connection, names) : UsedRates{};
        for (const std::string& name : groups) {
            look_at(limits->group(name), load_of(name, slots.loads, used), claim.now, found);
        }
    });
    return found;
}

JobRows limited_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    const PageLimit& limit,
    std::span<const LimitRoom> groups
) {
    std::vector<WaitingJob> waiting;
    std::size_t left = limit.jobs;
    for (std::size_t i = 0; i < groups.size() && left > 0; ++i) {
        const std::size_t share = std::max<std::size_t>(left / (groups.size() - i), 1);
        const std::size_t wanted = std::min(groups[i].room, share);
        const auto found = served_of_group(transaction, served, groups[i].group, wanted);
        if (found.size() < wanted) {
            forget_abandoned(transaction, groups[i].group);
        }
        left -= found.size();
        waiting.insert(waiting.end(), found.begin(), found.end());
    }
    JobRows rows;
    take_from_waiting(transaction, std::move(waiting), limit, rows);
    return rows;
}

}  // namespace jobstrand::persistence
