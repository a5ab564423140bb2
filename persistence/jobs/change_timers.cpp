#include "persistence/rows/job_table.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/series/series_turns.hpp"
#include "persistence/sql/sql_time.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

/// Can run from now on, so that its wait counts from here. A turn of a series keeps the date that
/// the ones behind it go by.
schema::Transition fired_at(const Job& row, schema::TimePoint now) {
    schema::Transition transition = schema::fired(row);
    if (row.series.empty() && row.repeat.empty()) {
        transition.due_date = std::min(row.due_date.value_or(now), now);
    }
    return transition;
}

JobAnswer fire(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view id,
    schema::TimePoint now
) {
    std::vector<Job> rows = rows_for_update(transaction, JobPlace::timer, std::span(&id, 1));
    if (rows.empty()) {
        return JobAnswer::not_found;
    }
    if (is_locked(rows.front(), now)) {
        return JobAnswer::locked;
    }
    MovePipeline moves(transaction, context, JobPlace::timer, now);
    moves.decide(std::move(rows), [now](const Job& row) { return fired_at(row, now); });
    moves.write();
    return JobAnswer::done;
}

JobAnswer reschedule(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view id,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    require_storable(due_date, transaction.dialect());
    std::optional<Job> row = row_for_update(transaction, JobPlace::timer, id);
    if (!row) {
        return JobAnswer::not_found;
    }
    if (is_locked(*row, now)) {
        return JobAnswer::locked;
    }
    row->due_date = due_date;
    row->lock_owner.clear();
    row->lock_expiration.reset();
    ++row->revision;
    update_row(transaction, JobPlace::timer, *row);
    if (!row->repeat.empty()) {
        const Job* const turn = &*row;
        SeriesTurns turns(transaction, context, now);
        turns.lock(std::span(&turn, 1));
        turns.changed(*row);
        turns.write();
    }
    return JobAnswer::done;
}

}  // namespace

JobAnswer SqlOperatorStore::fire_timer(std::string_view id, schema::TimePoint now) {
    JobAnswer answer = JobAnswer::not_found;
    context_.runner.run(
        [&](Transaction& transaction) { answer = fire(transaction, context_, id, now); },
        [&](Transaction& transaction) {
            const std::string timer(id);
            return !is_any_in(transaction, JobPlace::timer, std::span(&timer, 1));
        }
    );
    return answer;
}

JobAnswer SqlOperatorStore::reschedule_timer(
    std::string_view id,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    JobAnswer answer = JobAnswer::not_found;
    context_.runner.run(
        [&](Transaction& transaction) {
            answer = reschedule(transaction, context_, id, due_date, now);
        },
        run_again  // Setting the same date twice does no harm.
    );
    return answer;
}

}  // namespace jobstrand::persistence
