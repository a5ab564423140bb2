#include "persistence/due_date_range.hpp"
#include "persistence/job_table.hpp"
#include "persistence/move_jobs.hpp"
#include "persistence/sql_job_store.hpp"

#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

Answer fire(Transaction& transaction, std::string_view id, schema::TimePoint now) {
    const std::optional<Job> row = lock_row(transaction, JobPlace::timer, id);
    if (!row) {
        return Answer::not_found;
    }
    if (is_locked(*row, now)) {
        return Answer::locked;
    }
    PlacedJob fired = moved(*row, schema::fell_due(*row));
    divert_suspended(transaction, std::span(&fired, 1));
    move_rows(transaction, JobPlace::timer, std::span(&fired, 1));
    return Answer::done;
}

Answer reschedule(
    Transaction& transaction,
    std::string_view id,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    require_storable(due_date, transaction.kind());
    std::optional<Job> row = lock_row(transaction, JobPlace::timer, id);
    if (!row) {
        return Answer::not_found;
    }
    if (is_locked(*row, now)) {
        return Answer::locked;
    }
    row->due_date = due_date;
    row->lock_owner.clear();
    row->lock_expiration.reset();
    ++row->revision;
    update_row(transaction, JobPlace::timer, *row);
    return Answer::done;
}

}  // namespace

Answer SqlJobStore::fire_timer(std::string_view id, schema::TimePoint now) {
    Answer answer = Answer::not_found;
    runner_.run(
        [&](Transaction& transaction) { answer = fire(transaction, id, now); },
        [&](Transaction& transaction) {
            const std::string timer(id);
            return !is_any_in(transaction, JobPlace::timer, std::span(&timer, 1));
        }
    );
    return answer;
}

Answer SqlJobStore::reschedule_timer(
    std::string_view id,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    Answer answer = Answer::not_found;
    runner_.run(
        [&](Transaction& transaction) { answer = reschedule(transaction, id, due_date, now); },
        [](Transaction&) { return false; }  // Setting the same date twice does no harm.
    );
    return answer;
}

}  // namespace jobstrand::persistence
