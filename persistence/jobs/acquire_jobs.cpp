#include "persistence/claim_request.hpp"
#include "persistence/jobs/candidates.hpp"
#include "persistence/jobs/claim_rows.hpp"
#include "persistence/jobs/due_timers.hpp"
#include "persistence/jobs/served_condition.hpp"
#include "persistence/limits/exclusive_groups.hpp"
#include "persistence/limits/limit_slots.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kBeside = R"sql(
    SELECT COUNT(DISTINCT JS_NODE.NODE_)
    FROM JS_NODE
    JOIN JS_SERVED ON JS_SERVED.NODE_ = JS_NODE.NODE_
    WHERE LEASE_EXP_TIME_ >= ? AND JS_NODE.NODE_ <> ? AND HANDLER_TYPE_ IN (...))sql";

/// Living nodes, besides this one, that serve one of these types.
std::size_t count_nodes_beside(
    Transaction& transaction,
    std::string_view node,
    const ServedJobs& served,
    schema::TimePoint now
) {
    const std::vector<std::string_view> types(served.types.begin(), served.types.end());
    std::int64_t most = 0;
    const IdListParameters parameters{.before = {now, node}, .ids = types};
    query_for_ids(transaction, {.sql = kBeside, .columns = 1}, parameters, [&](const Row& row) {
        most = std::max(most, row.integer(0));
    });
    return static_cast<std::size_t>(most);
}

constexpr std::string_view kHasAcquirable = R"sql(
    SELECT 1
    FROM ACT_RU_JOB {by_id}
    WHERE {between} AND LOCK_EXP_TIME_ IS NULL AND {served}
    ORDER BY ID_
    LIMIT 1)sql";

bool is_any_held(Transaction& transaction, std::string_view owner, std::span<const Job> jobs) {
    return !held_for_update(transaction, owner, fenced(jobs)).empty();
}

/// Whether the claim of these was committed: all of them, or none.
bool was_claimed(Transaction& transaction, std::string_view owner, std::span<const Job> jobs) {
    const auto by_page = std::ranges::find_if(jobs, [](const Job& job) { return job.claim != 0; });
    return by_page == jobs.end() ? is_any_held(transaction, owner, jobs)
                                 : is_claimed(transaction, owner, by_page->claim);
}

/// What an acquisition is about to lock, in the order in which it is to run.
struct Candidates {
    JobRows rows;
    std::vector<Job> plain = {};  ///< For one claim together; in the order of their ids.
    std::string last = {};        ///< The last id that was looked at; empty: that of `rows`.
    bool is_end = false;   ///< There is nothing behind them, or nothing that is to be looked at.
    bool is_full = false;  ///< There may be more behind them.

    /// They are all free jobs that are served from where it began, and stay so until they are
    /// claimed. Those that wait, or go elsewhere, are not free then.
    bool is_range = false;
};
/// Behind this id, where that means something.
using SelectPage = std::function<Candidates(Transaction&, std::string_view behind)>;

std::string last_of(const Candidates& page, const std::string& behind) {
    if (!page.last.empty()) {
        return page.last;
    }
    return page.rows.jobs.empty() ? behind : page.rows.jobs.back().id;
}

/// Puts the plain jobs among the others, which are locked already.
void claim_plain(
    Transaction& transaction,
    const LockClaim& claim,
    const ServedJobs& served,
    Candidates& page
) {
    if (page.plain.empty()) {
        return;
    }
    use_served_names(page.plain, served.types);
    claim_page(transaction, claim, page.plain);
    std::vector<Job>& jobs = page.rows.jobs;
    if (jobs.empty()) {
        jobs = std::move(page.plain);
        return;
    }
    std::ranges::move(page.plain, std::back_inserter(jobs));
    sort_by_id(jobs);
}

/// The one way to claim: locks what `select` finds, until that is something or the end. A page that
/// is empty in the end, because all its jobs wait or were suspended or unreadable, is not the end
/// of the table.
std::vector<Job> acquire_page(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    const PageLimit& limit,
    std::string_view after,
    const SelectPage& select
) {
    Candidates page;
    DuplicateIds duplicates;
    std::string behind(after);
    std::string last;
    SeenRows seen;
    bool is_shared = false;
    const auto limits = context.limits.current();
    const bool asks_for_nodes = limit.asks_for_nodes && after.empty() && claim.pages_from == 0;
    const auto tell_found = [&] {
        if (limit.when_found && page.is_full) {
            limit.when_found(last);
        }
    };
    const SameInstanceSearch search{context, claim, served, limit};
    const auto acquire = [&](Transaction& transaction) {
        if (limit.enter) {
            transaction.on_commit([kept = limit.enter()] {});  // Until it ends, however it does.
        }
        const auto began = std::chrono::steady_clock::now();
        page = select(transaction, behind);
        seen.search += std::chrono::steady_clock::now() - began;
        last = last_of(page, behind);
        quarantine(transaction, context, JobPlace::executable, page.rows);
        move_suspended(transaction, context, JobPlace::executable, page.rows.jobs, duplicates);
        const bool is_cut = cut_to_bytes(transaction, page.rows.jobs, limit.bytes);
        if (is_cut) {
            last = page.rows.jobs.back().id;
            page.is_full = true;
        }
        seen.nodes_beside.reset();
        if (asks_for_nodes && page.is_full) {
            seen.nodes_beside = count_nodes_beside(transaction, claim.owner, served, claim.now);
        }
        if (!limit.enter) {
            tell_found();
        }
        // By their spelling here, which is that of the limits.
        use_served_names(page.rows.jobs, served.types);
        seen.waiting = join_limits(transaction, claim, *limits, limit.limited, page.rows.jobs);
        const JoinedGroups joined = join_groups(transaction, context, claim, page.rows.jobs);
        seen.waiting += joined.waiting;
        if (seen.first_left.empty()) {
            seen.first_left = joined.first_left;
        }
        const bool are_all_claimed =
            page.is_range ? claim_range(transaction, claim, served, {behind, last}, page.rows.jobs)
                          : claim_rows(transaction, JobPlace::executable, claim, page.rows.jobs);
        // The rows that stay would be found by the next page as well.
        page.is_end = page.is_end || !are_all_claimed || !joined.first_left.empty();
        claim_plain(transaction, claim, served, page);
        auto [besides, are_no_others_locked] =
            find_same_instance_jobs(transaction, search, joined, page.rows.jobs);
        const bool do_none_stay = !is_cut && are_all_claimed && joined.first_left.empty();
        if (limit.enter && do_none_stay && are_no_others_locked) {
            tell_found();
        }
        seen.same_instance =
            claim_same_instance_jobs(transaction, search, std::move(besides), page.rows.jobs);
        load_payloads(transaction, page.rows.jobs);
        recall_series(transaction, page.rows.jobs);
        if (limit.before_commit) {
            limit.before_commit();
        }
        if (!page.rows.jobs.empty()) {
            require_in_time(context, claim);
        }
        is_shared = transaction.dialect().has_engine;
    };
    const auto was_committed = [&](Transaction& transaction) {
        return was_claimed(transaction, claim.owner, page.rows.jobs);
    };
    // What waits for another claim must not have others wait for its commit.
    const Commit commit = limit.enter ? Commit::alone : Commit::shared;
    do {
        run_diverting_duplicates(context, duplicates, acquire, was_committed, commit);
        behind = last;
    } while (page.rows.jobs.empty() && !page.is_end);
    if (limit.seen != nullptr) {
        seen.end = page.is_full ? last : std::string();
        *limit.seen = std::move(seen);
    }
    if (is_shared) {
        log_moved_by_engine(context.log, page.rows.jobs, context.clock.now());
    }
    return std::move(page.rows.jobs);
}

}  // namespace

bool SqlExecutorStore::has_acquirable(
    const ServedJobs& served,
    std::string_view after,
    std::string_view before
) {
    if (served.types.empty()) {
        return false;
    }
    return context_.runner.read([&](Connection& connection) {
        auto [between, values] = ids_between(after, before);
        const BoundStatement condition = condition_of(served, connection.dialect());
        values.insert(values.end(), condition.parameters.begin(), condition.parameters.end());
        const std::string sql = fmt::format(
            kHasAcquirable,
            fmt::arg("by_id", connection.dialect().by_id),
            fmt::arg("between", between),
            fmt::arg("served", condition.sql)
        );
        return has_row(connection, sql, values);
    });
}

std::vector<Job> SqlExecutorStore::acquire(
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    std::string_view after
) {
    if (served.types.empty() || limit.jobs == 0) {
        return {};
    }
    const auto select = [&](Transaction& transaction, std::string_view behind) {
        if (claim.pages_from > 0) {
            PageCandidates page =
                page_candidates(transaction, context_, claim, served, limit, behind);
            return Candidates{
                .rows = std::move(page.rows),
                .plain = std::move(page.plain),
                .last = std::move(page.last),
                .is_end = page.is_end,
                .is_full = page.is_full,
            };
        }
        JobRows rows = oldest_candidates(transaction, served, limit.jobs, behind, limit.before);
        const bool is_end = rows.are_none();
        const bool is_full =
            rows.is_any_nameless || rows.jobs.size() + rows.unreadable.size() >= limit.jobs;
        const bool are_sound = !rows.is_any_nameless && rows.unreadable.empty();
        return Candidates{
            .rows = std::move(rows),
            .is_end = is_end,
            .is_full = is_full,
            .is_range = are_sound && transaction.dialect().writes_alone,
        };
    };
    return acquire_page(context_, claim, served, limit, after, select);
}

std::vector<Job> SqlExecutorStore::acquire_in_order(
    const LockClaim& claim,
    const ServedJobs& served,
    const schema::AcquisitionOrder& order,
    PageLimit limit,
    const RangePositions& behind
) {
    if (served.types.empty() || limit.jobs == 0) {
        return {};
    }
    OrderedSearch search{.served = served, .order = order, .behind = behind};
    // Its own positions say where it is; an id would not.
    const auto select = [&](Transaction& transaction, std::string_view) {
        auto [rows, rest] = ordered_candidates(transaction, search, limit.jobs);
        const bool is_end = rows.are_none() && !rest;
        if (rows.are_none() && rest) {
            search.highest = *rest;
        }
        return Candidates{.rows = std::move(rows), .is_end = is_end};
    };
    return acquire_page(context_, claim, served, limit, {}, select);
}

LimitedJobs SqlExecutorStore::acquire_limited(
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    std::string_view behind
) {
    limit.jobs = std::min(limit.jobs, limit.limited);
    if (served.types.empty() || limit.jobs == 0) {
        return {};
    }
    WaitingGroups groups = waiting_groups(context_, claim, served, behind);
    LimitedJobs taken{.jobs = {}, .end = std::move(groups.end), .until_next = groups.until_next};
    if (!groups.with_room.empty()) {
        const auto select = [&](Transaction& transaction, std::string_view) {
            return Candidates{
                .rows = limited_candidates(transaction, served, limit, groups.with_room),
                .is_end = true,
            };
        };
        taken.jobs = acquire_page(context_, claim, served, limit, {}, select);
    }
    return taken;
}

AcquiredJob
SqlExecutorStore::acquire_one(std::string_view id, const LockClaim& claim, schema::TimePoint now) {
    JobRows rows;
    std::vector<Job>& jobs = rows.jobs;
    JobAnswer answer = JobAnswer::not_found;
    DuplicateIds duplicates;
    const auto acquire_row = [&](Transaction& transaction) {
        close_gate(transaction);
        rows = checked_for_update(transaction, JobPlace::executable, std::span(&id, 1));
        mark_claimed(transaction, jobs);
        answer = JobAnswer::not_found;
        if (!jobs.empty() && is_locked(jobs.front(), now)) {
            answer = JobAnswer::locked;
            return;
        }
        quarantine(transaction, context_, JobPlace::executable, rows);
        move_suspended(transaction, context_, JobPlace::executable, jobs, duplicates);
        if (!jobs.empty() &&
            !join_group_alone(transaction, claim, context_.exclusive_over, jobs.front())) {
            answer = JobAnswer::locked;
            return;
        }
        (void)claim_rows(transaction, JobPlace::executable, claim, jobs);
        load_payloads(transaction, jobs);
        recall_series(transaction, jobs);
        if (!jobs.empty()) {
            answer = JobAnswer::done;
        }
    };
    run_diverting_duplicates(context_, duplicates, acquire_row, [&](Transaction& transaction) {
        return is_any_held(transaction, claim.owner, jobs);
    });
    return answer == JobAnswer::done ? AcquiredJob{answer, std::move(jobs.front())}
                                     : AcquiredJob{answer, {}};
}

namespace {

// Each of these ends at the first row that it finds. Of timers only those that are due can be
// locked. The row 0 of the claims is always there.
constexpr std::string_view kView = R"sql(
    SELECT
        {acquirable},
        (SELECT DUEDATE_
        FROM ACT_RU_TIMER_JOB
        WHERE DUEDATE_ IS NOT NULL AND LOCK_EXP_TIME_ IS NULL {and_ours}
        ORDER BY DUEDATE_
        LIMIT 1),
        (SELECT 1 FROM ACT_RU_JOB LIMIT 1),
        COALESCE(
            (SELECT 1 FROM ACT_RU_EXTERNAL_JOB LIMIT 1),
            (SELECT 1 FROM JS_EXCLUSIVE LIMIT 1),
            (SELECT 1 FROM JS_CLAIM WHERE ID_ > 0 LIMIT 1),
            (SELECT 1
            FROM ACT_RU_TIMER_JOB {by_due_date}
            WHERE DUEDATE_ <= ?
            ORDER BY DUEDATE_
            LIMIT 1)
        ),
        COALESCE((SELECT 1 FROM JS_LIMIT LIMIT 1), (SELECT 1 FROM JS_LIMIT_WAITING LIMIT 1)),
        COALESCE((SELECT 1 FROM JS_UNIQUE LIMIT 1), (SELECT 1 FROM JS_LIMITED LIMIT 1)),
        (SELECT MIN(LEASE_EXP_TIME_) FROM JS_NODE WHERE STATE_ <> 'lost'))sql";

constexpr std::string_view kAcquirable = R"sql((SELECT 1
        FROM ACT_RU_JOB {by_id}
        WHERE LOCK_EXP_TIME_ IS NULL AND {served}
        ORDER BY ID_
        LIMIT 1))sql";

BoundStatement acquirable(const ServedJobs& served, const Dialect& dialect) {
    if (served.types.empty()) {
        return {.sql = "NULL", .parameters = {}};
    }
    BoundStatement condition = condition_of(served, dialect);
    condition.sql = fmt::format(
        kAcquirable, fmt::arg("by_id", dialect.by_id), fmt::arg("served", condition.sql)
    );
    return condition;
}

}  // namespace

IdleView SqlExecutorStore::look_around(const ServedJobs& served, schema::TimePoint now) {
    return context_.runner.read([&](Connection& connection) {
        const Dialect& dialect = connection.dialect();
        auto [jobs, values] = acquirable(served, dialect);
        const BoundStatement ours = and_ours_or_served(served, dialect);
        values.insert(values.end(), ours.parameters.begin(), ours.parameters.end());
        values.emplace_back(now);
        const std::string sql = fmt::format(
            kView,
            fmt::arg("acquirable", jobs),
            fmt::arg("and_ours", ours.sql),
            fmt::arg("by_due_date", by_index(dialect, "JS_IDX_TIMER_DUE"))
        );
        const Query query{.sql = sql, .columns = 7};
        const auto view = one_row(connection, query, values, [&](const Row& row) {
            const FirstDue due = row.is_null(1) ? FirstDue{} : first_due_in(row, 1, dialect);
            return IdleView{
                .at = now,
                .has_acquirable = !row.is_null(0),
                .next_due = due.time,
                .are_timers_sound = !due.is_odd,
                .has_executable = !row.is_null(2),
                .has_locks = !row.is_null(3),
                .has_limits = !row.is_null(4),
                .has_leftovers = !row.is_null(5),
                .first_lease_end = parse_sql_time(row.text(6))};
        });
        return view.value_or(IdleView());
    });
}

}  // namespace jobstrand::persistence
