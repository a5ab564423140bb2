#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/rows/unreadable_rows.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/series/suspend_turns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "schema/limit/job_limit.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kActivate = R"sql(
    DELETE FROM JS_SUSPENSION
    WHERE SCOPE_ = ? AND ID_ = ?)sql";

// Rows that a node is taking right now are passed over: they count as running. What it does not
// take after all is caught by its next acquisition.
constexpr std::string_view kFreeJobs = R"sql(
    SELECT {columns}
    FROM {table}
    WHERE {of_scope} AND {behind} AND (LOCK_EXP_TIME_ IS NULL OR LOCK_EXP_TIME_ < ? OR LOCK_OWNER_ IN (?, ?))
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kSuspendedJobs = R"sql(
    SELECT {columns}
    FROM ACT_RU_SUSPENDED_JOB
    WHERE {of_scope} AND {behind}
    ORDER BY ID_
    LIMIT ?
    {for_update})sql";

/// Which jobs: those of one instance, or of one definition.
struct Scope {
    SuspensionScope kind;
    std::string_view id;
};

JobRows read_page(
    Transaction& transaction,
    JobPlace place,
    const std::string& sql,
    std::span<const Value> parameters
) {
    JobRows page;
    transaction.query(
        {.sql = sql, .columns = fields_of(place).size()}, parameters, append_to(page, place)
    );
    return page;
}

/// Jobs of one transaction.
constexpr std::int64_t kPage = schema::limits::kJobsPerTransaction;

JobRows free_jobs(
    Transaction& transaction,
    JobPlace place,
    const Scope& scope,
    std::string_view after,
    schema::TimePoint now
) {
    const std::string sql = fmt::format(
        kFreeJobs,
        fmt::arg("columns", selected_of(place, transaction.dialect())),
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("of_scope", jobs_of(scope.kind, transaction.dialect())),
        fmt::arg("behind", ids_behind(after)),
        fmt::arg("skip_locked", transaction.dialect().skip_locked)
    );
    const std::array<Value, 6> parameters{
        scope.id, after, now, schema::kWaitingOwner, schema::kLimitedOwner, kPage};
    return read_page(transaction, place, sql, parameters);
}

JobRows suspended_jobs(Transaction& transaction, const Scope& scope, std::string_view after) {
    const std::string sql = fmt::format(
        kSuspendedJobs,
        fmt::arg("columns", selected_of(JobPlace::suspended, transaction.dialect())),
        fmt::arg("of_scope", jobs_of(scope.kind, transaction.dialect())),
        fmt::arg("behind", ids_behind(after)),
        fmt::arg("for_update", transaction.dialect().for_update)
    );
    const std::array<Value, 3> parameters{scope.id, after, kPage};
    return read_page(transaction, JobPlace::suspended, sql, parameters);
}

/// What one transaction of a long move has done.
struct Page {
    std::string last_id;
    bool is_full = false;  ///< There may be more behind it.
    std::vector<std::string> moved;
};

std::string last_id(const JobRows& rows) {
    std::string last = rows.jobs.empty() ? std::string{} : rows.jobs.back().id;
    for (const Job& unreadable : rows.unreadable) {
        last = std::max(last, unreadable.id);
    }
    return last;
}

Page page_of(const JobRows& rows) {
    return {
        .last_id = last_id(rows),
        .is_full = std::cmp_equal(rows.jobs.size() + rows.unreadable.size(), kPage),
        .moved = {},
    };
}

/// Asks for suspensions once more (see schema::with_suspension): somebody may have lifted this one,
/// or another may hold the job as well.
Page move_page(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    JobRows rows,
    const TransitionOf& transition_of,
    schema::TimePoint now
) {
    Page page = page_of(rows);
    set_aside(transaction, context, from, rows);
    MovePipeline moves(transaction, context, from, now);
    moves.decide(std::move(rows.jobs), transition_of);
    moves.write();
    page.moved = moves.leaving_ids();
    return page;
}

using MovePage = std::function<Page(Transaction&, std::string_view after)>;

/// Moves page by page, each in a transaction of its own. Returns how many jobs moved.
std::int64_t move_pages(TransactionRunner& runner, JobPlace from, const MovePage& move) {
    std::int64_t moved = 0;
    Page page;
    do {
        const std::string after = page.last_id;
        runner.run(
            [&](Transaction& transaction) { page = move(transaction, after); },
            [&](Transaction& transaction) { return !is_any_in(transaction, from, page.moved); }
        );
        moved += static_cast<std::int64_t>(page.moved.size());
    } while (page.is_full);
    return moved;
}

bool is_about_series(SuspensionScope scope) {
    return scope == SuspensionScope::series || scope == SuspensionScope::timer_group;
}

}  // namespace

std::int64_t suspend_jobs(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
) {
    // The suspension is committed first: from then on new jobs of the scope are stored suspended,
    // so that the pages below come to an end.
    context.runner.run(
        [&](Transaction& transaction) { mark_suspended(transaction, scope, id, now); }, run_again
    );
    if (is_about_series(scope)) {
        return suspend_turns(context, scope, id, now);
    }
    const Scope jobs{.kind = scope, .id = id};
    std::int64_t moved = 0;
    for (const JobPlace place : schema::kSuspendablePlaces) {
        const auto suspend = [place](const Job& row) { return schema::suspended(row, place); };
        moved += move_pages(context.runner, place, [&](Transaction& transaction, auto after) {
            auto rows = free_jobs(transaction, place, jobs, after, now);
            return move_page(transaction, context, place, std::move(rows), suspend, now);
        });
    }
    return moved;
}

std::int64_t activate_jobs(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
) {
    // First, so that no further job is stored suspended behind the pages.
    context.runner.run(
        [&](Transaction& transaction) {
            transaction.execute(kActivate, {name_of(scope), id});
        },
        run_again
    );
    if (is_about_series(scope)) {
        return activate_turns(context, scope, id, now);
    }
    const Scope jobs{.kind = scope, .id = id};
    constexpr JobPlace kFrom = JobPlace::suspended;
    return move_pages(context.runner, kFrom, [&](Transaction& transaction, auto after) {
        auto rows = suspended_jobs(transaction, jobs, after);
        return move_page(transaction, context, kFrom, std::move(rows), schema::activated, now);
    });
}

}  // namespace jobstrand::persistence
