#include "persistence/jobs/next_due.hpp"

#include "persistence/candidates/served_condition.hpp"
#include "persistence/jobs/sql_timer_store.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/unreadable_rows.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

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
    FirstDue first;
    context.runner.read([&](Connection& connection) {
        first = {};
        BoundStatement ours = and_ours_or_served(served, connection.dialect());
        const std::string sql = fmt::format(
            kNextDue,
            fmt::arg("from", from ? ">= ?" : "IS NOT NULL"),
            fmt::arg("and_ours", ours.sql)
        );
        if (from) {
            ours.parameters.insert(ours.parameters.begin(), Value{*from});
        }
        connection.query({.sql = sql, .columns = 1}, ours.parameters, [&](const Row& row) {
            first = first_due_in(row, 0, connection.dialect());
        });
    });
    return first;
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
    std::optional<schema::TimePoint> due;
    context_.runner.read([&](Connection& connection) {
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
        due.reset();
        connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
            // What cannot be read is mended when it comes to the front: see next_due().
            due = parse_sql_time(row.text(0));
        });
    });
    return due;
}

}  // namespace jobstrand::persistence
