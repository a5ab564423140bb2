#include "persistence/jobs/due_timers.hpp"

#include "persistence/jobs/claim_rows.hpp"
#include "persistence/jobs/served_condition.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

std::size_t
store_anew(Transaction& transaction, std::vector<Job>& timers, schema::TimePoint until) {
    const auto first = std::ranges::stable_partition(timers, [until](const Job& timer) {
        return !timer.due_date || *timer.due_date <= until;
    });
    for (Job& later : first) {
        ++later.revision;
        update_row(transaction, schema::JobPlace::timer, later);
    }
    const std::size_t stored = first.size();
    timers.erase(first.begin(), first.end());
    return stored;
}

namespace {

constexpr std::string_view kNextDue = R"sql(
    SELECT DUEDATE_
    FROM ACT_RU_TIMER_JOB
    WHERE DUEDATE_ {from} AND LOCK_EXP_TIME_ IS NULL {and_ours}
    ORDER BY DUEDATE_
    LIMIT 1)sql";

constexpr std::string_view kFirst = R"sql(
    SELECT {columns}
    FROM ACT_RU_TIMER_JOB {by_due_date}
    WHERE DUEDATE_ IS NOT NULL AND LOCK_EXP_TIME_ IS NULL {and_ours}
    ORDER BY DUEDATE_
    LIMIT ?
    {skip_locked})sql";

/// Few, because sound ones are written as well.
constexpr std::int64_t kMendedAtOnce = 100;

FirstDue read_first_due(
    const StoreContext& context,
    const ServedJobs& served,
    std::optional<schema::TimePoint> from
) {
    return context.runner.read([&](Connection& connection) {
        BoundStatement ours = and_ours_or_served(served, connection.dialect());
        const std::string sql = fmt::format(
            kNextDue,
            fmt::arg("from", from ? ">= ?" : "IS NOT NULL"),
            fmt::arg("and_ours", ours.sql)
        );
        if (from) {
            ours.parameters.insert(ours.parameters.begin(), Value{*from});
        }
        const Query query{.sql = sql, .columns = 1};
        const auto first = one_row(connection, query, ours.parameters, [&](const Row& row) {
            return first_due_in(row, 0, connection.dialect());
        });
        return first.value_or(FirstDue());
    });
}

/// Moves what cannot be read among the first timers to the dead letters, and stores the others anew
/// whose text is not in our form. Returns how many these were.
std::size_t mend_first_timers(const StoreContext& context, const ServedJobs& served) {
    std::size_t mended = 0;
    const auto mend = [&](Transaction& transaction) {
        const Dialect& dialect = transaction.dialect();
        JobRows first;
        BoundStatement ours = and_ours_or_served(served, dialect);
        const std::string sql = fmt::format(
            kFirst,
            fmt::arg("columns", selected_of(JobPlace::timer, dialect)),
            fmt::arg("by_due_date", by_index(dialect, "JS_IDX_TIMER_DUE")),
            fmt::arg("and_ours", ours.sql),
            fmt::arg("skip_locked", dialect.skip_locked)
        );
        std::vector<Value>& parameters = ours.parameters;
        parameters.emplace_back(kMendedAtOnce);
        transaction.query(
            {.sql = sql, .columns = fields_of(JobPlace::timer).size()},
            parameters,
            append_to(first, JobPlace::timer)
        );
        mended = first.unreadable.size() + (first.is_any_nameless ? 1 : 0);
        quarantine(transaction, context, JobPlace::timer, first);
        if (dialect.has_texts_for_times) {
            mended += store_anew(transaction, first.jobs, schema::TimePoint::min());
        }
    };
    context.runner.run(mend, run_again);
    return mended;
}

}  // namespace

FirstDue first_due_in(const Row& row, std::size_t column, const Dialect& dialect) {
    FirstDue first{.time = parse_sql_time(row.text(column))};
    first.is_odd = !first.time ||
                   (dialect.has_texts_for_times && SqlTime(*first.time).text() != row.text(column));
    return first;
}

std::optional<schema::TimePoint>
SqlTimerStore::next_due(const ServedJobs& served, std::optional<schema::TimePoint> from) {
    FirstDue first = read_first_due(context_, served, from);
    while (first.is_odd) {
        const std::size_t mended = mend_first_timers(context_, served);
        first = read_first_due(context_, served, from);
        if (mended == 0) {
            break;  // Somebody else is at it.
        }
    }
    return first.time;
}

namespace {

constexpr std::string_view kNextDueOfOthers = R"sql(
    SELECT DUEDATE_
    FROM ACT_RU_TIMER_JOB {by_due_date}
    WHERE DUEDATE_ <= ? {and_from} AND LOCK_EXP_TIME_ IS NULL AND {others} {and_ours}
    ORDER BY DUEDATE_
    LIMIT 1)sql";

}  // namespace

std::optional<schema::TimePoint> SqlTimerStore::next_due_of_others(
    const ServedJobs& served,
    std::optional<schema::TimePoint> from,
    schema::TimePoint until
) {
    return context_.runner.read([&](Connection& connection) {
        BoundStatement others = condition_of_others(served, connection.dialect());
        BoundStatement ours = and_ours_or_served(served, connection.dialect());
        std::vector<Value> parameters{until};
        if (from) {
            parameters.emplace_back(*from);
        }
        std::ranges::move(others.parameters, std::back_inserter(parameters));
        std::ranges::move(ours.parameters, std::back_inserter(parameters));
        const std::string sql = fmt::format(
            kNextDueOfOthers,
            fmt::arg("by_due_date", by_index(connection.dialect(), "JS_IDX_TIMER_DUE")),
            fmt::arg("and_from", from ? "AND DUEDATE_ >= ?" : ""),
            fmt::arg("others", others.sql),
            fmt::arg("and_ours", ours.sql)
        );
        // What cannot be read is mended when it comes to the front: see next_due().
        return parse_sql_time(one_text(connection, sql, parameters));
    });
}

namespace {

constexpr std::string_view kDue = R"sql(
    SELECT {columns}
    FROM ACT_RU_TIMER_JOB {by_due_date}
    WHERE DUEDATE_ <= ? {and_from} AND LOCK_EXP_TIME_ IS NULL {and_made_before} {and_others}
        {and_ours}
    ORDER BY DUEDATE_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kAndFrom = "AND DUEDATE_ >= ?";

constexpr std::string_view kAndMadeBefore =
    "AND (REPEAT_ IS NULL OR CREATE_TIME_ IS NULL OR CREATE_TIME_ < ?)";

schema::TimePoint last_due(const DueWindow& window) {
    return std::min(window.now, window.as_of.value_or(window.now)) + window.ahead;
}

JobRows select_due(
    Transaction& transaction,
    const DueWindow& window,
    std::size_t limit,
    const ServedJobs& served
) {
    const bool are_others_only = window.are_served_left && !served.types.empty();
    BoundStatement others =
        are_others_only ? condition_of_others(served, transaction.dialect()) : BoundStatement{};
    BoundStatement ours = and_ours_or_served(served, transaction.dialect());
    const std::string sql = fmt::format(
        kDue,
        fmt::arg("columns", selected_of(JobPlace::timer, transaction.dialect())),
        fmt::arg("by_due_date", by_index(transaction.dialect(), "JS_IDX_TIMER_DUE")),
        fmt::arg("and_from", window.from ? kAndFrom : ""),
        fmt::arg("and_made_before", window.as_of ? kAndMadeBefore : ""),
        fmt::arg("and_others", are_others_only ? "AND " + others.sql : ""),
        fmt::arg("and_ours", ours.sql),
        fmt::arg("skip_locked", transaction.dialect().skip_locked)
    );
    std::vector<Value> parameters{last_due(window)};
    if (window.from) {
        parameters.emplace_back(*window.from);
    }
    if (window.as_of) {
        parameters.emplace_back(*window.as_of);
    }
    std::ranges::move(others.parameters, std::back_inserter(parameters));
    std::ranges::move(ours.parameters, std::back_inserter(parameters));
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    JobRows due;
    due.jobs.reserve(limit);
    transaction.query(
        {.sql = sql, .columns = fields_of(JobPlace::timer).size()},
        parameters,
        append_to(due, JobPlace::timer)
    );
    return due;
}

// Exclusive jobs of an instance, and those that meet a limit, arrive free: each may have to wait.
void lock_served(
    std::vector<PlacedJob>& jobs,
    const LockClaim& claim,
    const StoreContext& context,
    const ServedJobs& served
) {
    const auto limits = context.limits.current();
    for (PlacedJob& placed : jobs) {
        if (placed.place == JobPlace::executable &&
            schema::exclusive_group(placed.job, context.exclusive_over).empty() &&
            !limits->meets(placed.job) && served.contains(placed.job)) {
            placed.job.lock_owner = claim.owner;
            placed.job.lock_expiration = claim.until;
        }
    }
}

std::vector<Job> locked_among(std::vector<PlacedJob> jobs) {
    std::vector<Job> locked;
    locked.reserve(jobs.size());
    for (PlacedJob& placed : jobs) {
        if (!placed.job.lock_owner.empty()) {
            locked.push_back(std::move(placed.job));
        }
    }
    return locked;
}

}  // namespace

DueTimers SqlTimerStore::move_due_timers(
    DueWindow window,
    PageLimit limit,
    const std::optional<LockClaim>& claim,
    const ServedJobs& served
) {
    DueTimers result;
    std::vector<std::string> ids;
    DuplicateIds duplicates;
    const auto move = [&](Transaction& transaction) {
        JobRows rows = select_due(transaction, window, limit.jobs, served);
        std::vector<Job>& due = rows.jobs;
        result.is_cut = claim && cut_to_bytes(transaction, due, limit.bytes);
        result.end = due.empty() ? std::nullopt : due.back().due_date;
        const std::size_t unreadable = rows.unreadable.size();
        const bool is_full = result.is_cut || due.size() + unreadable >= limit.jobs;
        if (window.when_found && is_full && result.end) {
            window.when_found(*result.end);
        }
        quarantine(transaction, context_, JobPlace::timer, rows);
        const std::size_t early = store_anew(transaction, due, last_due(window));
        MovePipeline moves(transaction, context_, JobPlace::timer, window.now);
        moves.copy_unchanged();
        moves.decide(std::move(due), schema::fell_due);
        if (claim) {
            lock_served(moves.leaving(), *claim, context_, served);
        }
        moves.write(&duplicates);
        ids = moves.leaving_ids();
        result.moved = moves.size() + unreadable + early;
        if (claim) {
            result.locked = locked_among(std::move(moves.leaving()));
            load_payloads(transaction, result.locked);
            if (!result.locked.empty()) {
                require_in_time(context_, *claim);
            }
        }
    };
    const auto was_committed = [&](Transaction& transaction) {
        if (ids.empty()) {
            return false;  // Turns that were left out are no longer due: again does no harm.
        }
        // That the timers are gone is no proof that they are ours: another node moves them too.
        return result.locked.empty()
                   ? !is_any_in(transaction, JobPlace::timer, ids)
                   : !held_for_update(transaction, claim->owner, fenced(result.locked)).empty();
    };
    run_diverting_duplicates(context_, duplicates, move, was_committed);
    return result;
}

}  // namespace jobstrand::persistence
