#include "persistence/jobs/candidates.hpp"

#include "persistence/jobs/served_condition.hpp"
#include "persistence/limits/limit_slots.hpp"
#include "persistence/limits/waiting_jobs.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

namespace {

constexpr std::string_view kOldest = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_id}
    WHERE {between} AND LOCK_EXP_TIME_ IS NULL AND {served}
    ORDER BY ID_
    LIMIT ?
    {lock})sql";

constexpr std::string_view kJobsById = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_id}
    WHERE ID_ IN (...)
    ORDER BY ID_)sql";

/// What is read of the oldest free jobs between two ids.
struct Selection {
    std::string_view columns;
    std::string_view lock;
    std::size_t limit;
    std::string_view after = {};
    std::string_view before = {};
};

BoundStatement
select_oldest(const Selection& selection, const ServedJobs& served, const Dialect& dialect) {
    BoundStatement page = ids_between(selection.after, selection.before);
    const BoundStatement ours = condition_of(served, dialect);
    page.sql = fmt::format(
        kOldest,
        fmt::arg("columns", selection.columns),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("between", page.sql),
        fmt::arg("served", ours.sql),
        fmt::arg("lock", selection.lock)
    );
    page.parameters.insert(page.parameters.end(), ours.parameters.begin(), ours.parameters.end());
    page.parameters.emplace_back(static_cast<std::int64_t>(selection.limit));
    return page;
}

JobRows read_oldest(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view lock,
    std::string_view after,
    std::string_view before
) {
    const Dialect& dialect = transaction.dialect();
    const Selection selection{
        .columns = selected_of(JobPlace::executable, dialect),
        .lock = lock,
        .limit = limit,
        .after = after,
        .before = before,
    };
    const BoundStatement page = select_oldest(selection, served, dialect);
    JobRows candidates;
    candidates.jobs.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    transaction.query(
        {.sql = page.sql, .columns = fields_of(JobPlace::executable).size()},
        page.parameters,
        append_to(candidates, JobPlace::executable)
    );
    return candidates;
}

/// An id that may be held has come with the revision that says so.
std::vector<std::string> oldest_ids_beside(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const ClaimedJobs& claimed
) {
    const Selection selection{
        .columns = "ID_, COALESCE(REV_, 1)",
        .lock = {},
        .limit = limit + claimed.size(),
    };
    const BoundStatement page = select_oldest(selection, served, transaction.dialect());
    std::vector<std::string> ids;
    transaction.query({.sql = page.sql, .columns = 2}, page.parameters, [&](const Row& row) {
        const bool is_held = is_named(claimed, row.text(0), row.integer(1));
        if (!is_held && ids.size() < limit) {
            ids.emplace_back(row.text(0));
        }
    });
    return ids;
}

}  // namespace

JobRows oldest_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after,
    std::string_view before
) {
    return read_oldest(
        transaction, served, limit, transaction.dialect().skip_locked, after, before
    );
}

JobRows oldest_rows(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after,
    std::string_view before
) {
    return read_oldest(transaction, served, limit, {}, after, before);
}

JobRows oldest_rows_beside(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const ClaimedJobs& claimed
) {
    const Dialect& dialect = transaction.dialect();
    const std::vector<std::string> ids = oldest_ids_beside(transaction, served, limit, claimed);
    const std::vector<std::string_view> list(ids.begin(), ids.end());
    const std::string sql = fmt::format(
        kJobsById,
        fmt::arg("columns", selected_of(JobPlace::executable, dialect)),
        fmt::arg("by_id", dialect.by_id)
    );
    JobRows rows;
    const Query query{.sql = sql, .columns = fields_of(JobPlace::executable).size()};
    query_for_ids(transaction, query, {.ids = list}, append_to(rows, JobPlace::executable));
    return rows;
}

namespace {

/// Which jobs of a page one claim can hold: what else regards them needs their rows.
class PlainJobs {
public:
    PlainJobs(
        Transaction& transaction,
        const StoreContext& context,
        const ServedJobs& served,
        std::span<const Job> jobs
    )
        : by_row_(served.types_by_row),
          limits_(context.limits.current()),
          over_(context.exclusive_over) {
        std::vector<const Job*> all;
        all.reserve(jobs.size());
        for (const Job& job : jobs) {
            all.push_back(&job);
        }
        suspended_ = find_suspended(transaction, all);
    }

    [[nodiscard]] bool contain(const Job& job) const {
        const bool stands_alone = job.unique_key.empty() && job.series.empty() &&
                                  job.repeat.empty() && schema::exclusive_group(job, over_).empty();
        const bool begins_anew = job.lock_owner.empty() && job.lost_starts == 0;
        return stands_alone && begins_anew && !limits_->meets(job) && !suspended_.contain(job) &&
               !std::ranges::binary_search(by_row_, job.handler_type);
    }

private:
    std::span<const std::string> by_row_;
    std::shared_ptr<const schema::JobLimits> limits_;
    schema::ExclusiveOver over_;
    SuspendedScopes suspended_;
};

/// Reads them for update. Who has taken one by the row meanwhile, or has it in hand, keeps it.
std::vector<Job> still_free_for_update(Transaction& transaction, const std::vector<Job>& jobs) {
    std::map<std::string_view, int> revisions;
    for (const Job& job : jobs) {
        revisions.emplace(job.id, job.revision);
    }
    std::vector<Job> rows = untouched_for_update(transaction, JobPlace::executable, ids_of(jobs));
    std::erase_if(rows, [&](const Job& row) {
        const auto seen = revisions.find(row.id);
        return row.lock_expiration || seen == revisions.end() || seen->second != row.revision;
    });
    return rows;
}

/// The rows are locked, which costs more, because some of them have to be written.
PageCandidates with_locked_rows(
    Transaction& transaction,
    const ServedJobs& served,
    const PageLimit& limit,
    std::string_view behind
) {
    PageCandidates page;
    page.rows = oldest_candidates(transaction, served, limit.jobs, behind, limit.before);
    page.is_full = page.rows.is_any_nameless ||
                   page.rows.jobs.size() + page.rows.unreadable.size() >= limit.jobs;
    if (!page.rows.jobs.empty()) {
        page.last = page.rows.jobs.back().id;
    }
    page.is_end = page.rows.are_none();
    drop_claimed(transaction, page.rows.jobs);
    return page;
}

JobRows free_rows(
    Transaction& transaction,
    const ServedJobs& served,
    const PageLimit& limit,
    std::string& from
) {
    if (from.empty()) {
        const ClaimedJobs claimed = all_claimed(transaction);
        return claimed.empty() ? oldest_rows(transaction, served, limit.jobs, from, limit.before)
                               : oldest_rows_beside(transaction, served, limit.jobs, claimed);
    }
    if (auto last = last_claimed_behind(transaction, from)) {
        from = std::move(*last);
    }
    return oldest_rows(transaction, served, limit.jobs, from, limit.before);
}

}  // namespace

PageCandidates page_candidates(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    const PageLimit& limit,
    std::string_view after
) {
    close_gate(transaction);
    std::string from(after);
    JobRows rows = free_rows(transaction, served, limit, from);
    if (rows.is_any_nameless || !rows.unreadable.empty()) {
        return with_locked_rows(transaction, served, limit, from);
    }
    std::vector<Job>& jobs = rows.jobs;
    use_served_names(jobs, served.types);  // Limits go by them.
    PageCandidates page{.is_end = jobs.empty(), .is_full = jobs.size() >= limit.jobs};
    page.is_full |= cut_to_bytes(transaction, jobs, limit.bytes);
    page.last = jobs.empty() ? std::string() : jobs.back().id;
    const PlainJobs plain(transaction, context, served, jobs);
    const auto is_plain = [&](const Job& job) { return plain.contain(job); };
    const auto others = std::ranges::stable_partition(jobs, is_plain);
    if (jobs.size() - others.size() >= claim.pages_from) {
        std::vector<Job> rest(
            std::make_move_iterator(others.begin()), std::make_move_iterator(others.end())
        );
        jobs.erase(others.begin(), others.end());
        page.plain = std::move(jobs);
        jobs = std::move(rest);
    }
    sort_by_id(jobs);
    page.rows.jobs = still_free_for_update(transaction, jobs);
    return page;
}

namespace {

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

// The same where Dialect::skips_along_keys.
constexpr std::string_view kDistinctWaitingGroups = R"sql(
    SELECT DISTINCT GROUP_
    FROM JS_LIMIT_WAITING
    WHERE GROUP_ > ?
    ORDER BY GROUP_
    LIMIT ?)sql";

// A subquery of one value is asked for each row of its group. A join may be read the other way
// round: where PostgreSQL takes the table of jobs for empty, as one of a queue often is, it would
// walk through that, with all the deleted rows that an open transaction keeps there.
constexpr std::string_view kServedOfGroup = R"sql(
    SELECT ID_
    FROM JS_LIMIT_WAITING W
    WHERE GROUP_ = ?
        AND (SELECT 1 FROM ACT_RU_JOB J WHERE J.ID_ = W.ID_ AND LOCK_OWNER_ = ? AND {served}) = 1
    ORDER BY ID_
    LIMIT ?)sql";

constexpr std::string_view kAbandoned = R"sql(
    SELECT ID_
    FROM JS_LIMIT_WAITING W
    WHERE GROUP_ = ?
        AND (SELECT 1 FROM ACT_RU_JOB J WHERE J.ID_ = W.ID_ AND LOCK_OWNER_ = ?) IS NULL
    ORDER BY ID_
    LIMIT ?)sql";

std::vector<std::string> waiting_groups_behind(Connection& connection, std::string_view behind) {
    const std::string_view sql =
        connection.dialect().skips_along_keys ? kDistinctWaitingGroups : kWaitingGroups;
    return all_texts(connection, sql, {behind, kGroupsOfOneLook});
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

WaitingJob waiting_job_in(const Row& row, std::string_view group) {
    return {.group = std::string(group), .id = std::string(row.text(0))};
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
    return all_rows(
        transaction,
        {.sql = query.sql, .columns = 1},
        query.parameters,
        [&](const Row& row) { return waiting_job_in(row, group); }
    );
}

void forget_abandoned(Transaction& transaction, std::string_view group) {
    const std::vector<WaitingJob> abandoned = all_rows(
        transaction,
        {.sql = kAbandoned, .columns = 1},
        {group, schema::kLimitedOwner, kAbandonedOfOneLook},
        [&](const Row& row) { return waiting_job_in(row, group); }
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
    std::vector<std::string_view> ids = ids_of(waiting);
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
    return context.runner.read([&](Connection& connection) {
        WaitingGroups found;
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
        return found;
    });
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
