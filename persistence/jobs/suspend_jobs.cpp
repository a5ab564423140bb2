#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/series/series_turns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/concurrency.hpp"
#include "schema/job_definition.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

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
    WHERE {scope} AND {behind} AND (LOCK_EXP_TIME_ IS NULL OR LOCK_EXP_TIME_ < ? OR LOCK_OWNER_ IN (?, ?))
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kSuspendedJobs = R"sql(
    SELECT {columns}
    FROM ACT_RU_SUSPENDED_JOB
    WHERE {scope} AND {behind}
    ORDER BY ID_
    LIMIT ?
    {for_update})sql";

/// Which of our jobs are meant: those with all of these values, of which there is one at least. A
/// Flowable engine suspends its own.
struct ScopedJobs {
    struct Field {
        std::string_view column;
        std::string_view value;
    };

    std::vector<Field> fields;

    [[nodiscard]] std::string condition(const Dialect& dialect) const;

    /// Parameters of a statement that begins with the condition.
    [[nodiscard]] std::vector<Value> and_then(std::initializer_list<Value> others) const;
};

std::string ScopedJobs::condition(const Dialect& dialect) const {
    std::string text;
    for (const Field& field : fields) {
        text += text.empty() ? "" : " AND ";
        text.append(our_column_for(field.column, dialect)).append(" = ?");
    }
    return text.append(" ").append(and_ours(dialect));
}

std::vector<Value> ScopedJobs::and_then(std::initializer_list<Value> others) const {
    std::vector<Value> all;
    for (const Field& field : fields) {
        all.emplace_back(field.value);
    }
    all.insert(all.end(), others);
    return all;
}

/// The texts are borrowed.
ScopedJobs jobs_of(const schema::JobDefinitionName& name) {
    ScopedJobs jobs{.fields = {{"PROC_DEF_ID_", name.definition}}};
    const auto add = [&jobs](std::string_view column, const std::string& value) {
        if (!value.empty()) {
            jobs.fields.push_back({column, value});
        }
    };
    add("ELEMENT_ID_", name.element);
    add("HANDLER_TYPE_", name.type);
    return jobs;
}

ScopedJobs jobs_of(SuspensionScope scope, std::string_view id) {
    return {.fields = {{column_of(scope), id}}};
}

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
    const ScopedJobs& scope,
    std::string_view after,
    schema::TimePoint now
) {
    const std::string sql = fmt::format(
        kFreeJobs,
        fmt::arg("columns", selected_of(place, transaction.dialect())),
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("scope", scope.condition(transaction.dialect())),
        fmt::arg("behind", ids_behind(after)),
        fmt::arg("skip_locked", transaction.dialect().skip_locked)
    );
    const std::vector<Value> parameters =
        scope.and_then({after, now, schema::kWaitingOwner, schema::kLimitedOwner, kPage});
    if (place == JobPlace::executable) {
        close_gate(transaction);
    }
    return read_page(transaction, place, sql, parameters);
}

JobRows suspended_jobs(Transaction& transaction, const ScopedJobs& scope, std::string_view after) {
    const std::string sql = fmt::format(
        kSuspendedJobs,
        fmt::arg("columns", selected_of(JobPlace::suspended, transaction.dialect())),
        fmt::arg("scope", scope.condition(transaction.dialect())),
        fmt::arg("behind", ids_behind(after)),
        fmt::arg("for_update", transaction.dialect().for_update)
    );
    const std::vector<Value> parameters = scope.and_then({after, kPage});
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
    if (from == JobPlace::executable) {
        mark_claimed(transaction, rows.jobs);
        std::erase_if(rows.jobs, [now](const Job& job) { return is_locked(job, now); });
    }
    quarantine(transaction, context, from, rows);
    MovePipeline moves(transaction, context, from, now);
    moves.decide(std::move(rows.jobs), transition_of);
    moves.write();
    page.moved = moves.leaving_ids();
    return page;
}

using MovePage = std::function<Page(Transaction&, std::string_view after)>;

/// Moves page by page, each in a transaction of its own.
class PagedMove {
public:
    PagedMove(TransactionRunner& runner, const OnMoved& on_moved)
        : runner_(runner), on_moved_(on_moved) {}

    /// Nothing once it was to stop.
    void move_all(JobPlace from, const MovePage& move) {
        Page page{.last_id = {}, .is_full = true, .moved = {}};
        while (page.is_full && !is_stopped_) {
            const std::string after = page.last_id;
            runner_.run(
                [&](Transaction& transaction) { page = move(transaction, after); },
                [&](Transaction& transaction) { return !is_any_in(transaction, from, page.moved); }
            );
            moved_ += static_cast<std::int64_t>(page.moved.size());
            is_stopped_ = page.is_full && on_moved_ && !on_moved_(moved_);
        }
    }

    [[nodiscard]] std::int64_t moved() const { return moved_; }

private:
    TransactionRunner& runner_;
    const OnMoved& on_moved_;
    std::int64_t moved_ = 0;
    bool is_stopped_ = false;
};

bool is_about_series(SuspensionScope scope) {
    return scope == SuspensionScope::series || scope == SuspensionScope::timer_group;
}

std::int64_t move_to_suspended(
    const StoreContext& context,
    const ScopedJobs& jobs,
    schema::TimePoint now,
    const OnMoved& on_moved
) {
    PagedMove move(context.runner, on_moved);
    for (const JobPlace place : schema::kSuspendablePlaces) {
        const auto suspend = [place](const Job& row) { return schema::suspended(row, place); };
        move.move_all(place, [&](Transaction& transaction, auto after) {
            auto rows = free_jobs(transaction, place, jobs, after, now);
            return move_page(transaction, context, place, std::move(rows), suspend, now);
        });
    }
    return move.moved();
}

/// Could not run before now, so that its wait counts from here. A turn of a series keeps the date
/// that the ones behind it go by, and a timer its own unless it has passed.
schema::Transition activated_at(const Job& row, schema::TimePoint now) {
    schema::Transition transition = schema::activated(row);
    if (row.series.empty() && row.repeat.empty()) {
        const bool is_timer = transition.to == JobPlace::timer;
        transition.due_date = is_timer ? std::max(row.due_date.value_or(now), now) : now;
    }
    return transition;
}

std::int64_t move_back(
    const StoreContext& context,
    const ScopedJobs& jobs,
    schema::TimePoint now,
    const OnMoved& on_moved
) {
    constexpr JobPlace kFrom = JobPlace::suspended;
    PagedMove move(context.runner, on_moved);
    const auto activate = [now](const Job& row) { return activated_at(row, now); };
    move.move_all(kFrom, [&](Transaction& transaction, auto after) {
        auto rows = suspended_jobs(transaction, jobs, after);
        return move_page(transaction, context, kFrom, std::move(rows), activate, now);
    });
    return move.moved();
}

/// Its new jobs alone; nullopt: these cannot be suspended without the others.
std::optional<SuspensionScope> new_of(SuspensionScope scope) {
    switch (scope) {
        case SuspensionScope::definition:
            return SuspensionScope::new_of_definition;
        case SuspensionScope::job_definition:
            return SuspensionScope::new_of_job_definition;
        default:
            return std::nullopt;
    }
}

bool is_about_new_jobs(SuspensionScope scope) {
    return scope == SuspensionScope::new_of_definition ||
           scope == SuspensionScope::new_of_job_definition;
}

/// A definition, or a kind of jobs, takes new jobs again when it is activated.
void unmark_suspended(Transaction& transaction, SuspensionScope scope, std::string_view id) {
    const std::string row_id = suspension_id(scope, id);
    transaction.execute(kActivate, {name_of(scope), std::string_view(row_id)});
    if (const auto of_new_jobs = new_of(scope)) {
        transaction.execute(kActivate, {name_of(*of_new_jobs), std::string_view(row_id)});
    }
}

/// Calls `move` with the jobs of a scope.
template <typename Move>
std::int64_t with_jobs_of(SuspensionScope scope, std::string_view id, const Move& move) {
    if (is_of_kind(scope)) {
        const schema::JobDefinitionName name = schema::job_definition_named(id);
        return move(jobs_of(name));
    }
    return move(jobs_of(scope, id));
}

}  // namespace

std::int64_t SqlOperatorStore::suspend(
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now,
    const OnMoved& on_moved
) {
    // The suspension is committed first: from then on new jobs of the scope are stored suspended,
    // so that the pages below come to an end.
    context_.runner.run(
        [&](Transaction& transaction) {
            if (scope == SuspensionScope::job) {
                forget_marks_of_ended_jobs(transaction);
            }
            mark_suspended(transaction, scope, id, now);
        },
        run_again
    );
    if (is_about_series(scope)) {
        return suspend_turns(context_, scope, id, now);
    }
    if (is_about_new_jobs(scope)) {
        return 0;
    }
    return with_jobs_of(scope, id, [&](const ScopedJobs& jobs) {
        return move_to_suspended(context_, jobs, now, on_moved);
    });
}

std::int64_t SqlOperatorStore::activate(
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now,
    const OnMoved& on_moved
) {
    // First, so that no further job is stored suspended behind the pages.
    context_.runner.run(
        [&](Transaction& transaction) { unmark_suspended(transaction, scope, id); }, run_again
    );
    if (is_about_series(scope)) {
        return activate_turns(context_, scope, id, now);
    }
    return with_jobs_of(scope, id, [&](const ScopedJobs& jobs) {
        return move_back(context_, jobs, now, on_moved);
    });
}

}  // namespace jobstrand::persistence
