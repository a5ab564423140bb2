#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/due_date_range.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/series/series_turns.hpp"

#include <array>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

bool repeats(const Job& row) {
    return !row.repeat.empty();
}

/// The turn is taken early, and its series goes on.
void take_turn(
    Transaction& transaction,
    const StoreContext& context,
    Job& row,
    schema::TimePoint now
) {
    const std::array<const Job*, 1> job{&row};
    SeriesTurns turns(transaction, context, job, now);
    (void)turns.fall_due(row, true);  // By hand it always fires.
    turns.write();
}

JobAnswer fire(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view id,
    schema::TimePoint now
) {
    std::optional<Job> row = lock_row(transaction, JobPlace::timer, id);
    if (!row) {
        return JobAnswer::not_found;
    }
    if (is_locked(*row, now)) {
        return JobAnswer::locked;
    }
    if (repeats(*row)) {
        take_turn(transaction, context, *row, now);
    }
    PlacedJob fired = moved(*row, schema::fell_due(*row));
    divert_suspended(transaction, std::span(&fired, 1));
    move_rows(transaction, JobPlace::timer, std::span(&fired, 1));
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
    std::optional<Job> row = lock_row(transaction, JobPlace::timer, id);
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
    if (repeats(*row)) {
        const std::array<const Job*, 1> job{&*row};
        SeriesTurns turns(transaction, context, job, now);
        turns.rescheduled(*row);
        turns.write();
    }
    return JobAnswer::done;
}

}  // namespace

JobAnswer fire_timer(const StoreContext& context, std::string_view id, schema::TimePoint now) {
    JobAnswer answer = JobAnswer::not_found;
    context.runner.run(
        [&](Transaction& transaction) { answer = fire(transaction, context, id, now); },
        [&](Transaction& transaction) {
            const std::string timer(id);
            return !is_any_in(transaction, JobPlace::timer, std::span(&timer, 1));
        }
    );
    return answer;
}

JobAnswer reschedule_timer(
    const StoreContext& context,
    std::string_view id,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    JobAnswer answer = JobAnswer::not_found;
    context.runner.run(
        [&](Transaction& transaction) {
            answer = reschedule(transaction, context, id, due_date, now);
        },
        [](Transaction&) { return false; }  // Setting the same date twice does no harm.
    );
    return answer;
}

}  // namespace jobstrand::persistence
