#include "persistence/jobs/named_jobs.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/sql_time.hpp"
#include "persistence/unique/key_holders.hpp"

#include <optional>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

DueDatesById by_id(std::span<const std::string> ids, const DueDates& due_dates) {
    DueDatesById by_id;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (const auto due_date = due_dates.of(i)) {
            by_id.emplace(ids[i], *due_date);
        }
    }
    return by_id;
}

}  // namespace

AnswersById requeue_page(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    const NewLife& life
) {
    for (const std::string_view id : ids) {
        require_storable(life.due_date_of(id), transaction.dialect());
    }
    AnswersById answers;
    std::vector<Job> rows = rows_for_update(transaction, JobPlace::dead_letter, ids);
    for (std::string& id : take_back_keys(transaction, rows, life.now)) {
        answers.emplace(std::move(id), JobAnswer::key_held);
    }
    std::erase_if(rows, [&](const Job& row) { return answers.contains(row.id); });
    MovePipeline moves(transaction, context, JobPlace::dead_letter, life.now);
    if (life.due_dates.empty()) {
        moves.copy_unchanged();  // Else each would need a statement of its own.
    }
    moves.decide(std::move(rows), [&](const Job& row) {
        return schema::requeued(row, life.retries, life.due_date_of(row.id), life.now);
    });
    moves.write();
    for (std::string& id : moves.leaving_ids()) {
        answers.emplace(std::move(id), JobAnswer::done);
    }
    return answers;
}

std::vector<JobAnswer> SqlOperatorStore::requeue(
    std::span<const std::string> ids,
    int retries,
    const DueDates& due_dates,
    schema::TimePoint now
) {
    const NewLife life{
        .retries = retries,
        .due_date = due_dates.of_all(),
        .due_dates = due_dates.of_all() ? DueDatesById{} : by_id(ids, due_dates),
        .now = now,
    };
    return change_named_jobs(
        context_,
        JobPlace::dead_letter,
        ids,
        [&](Transaction& transaction, auto page) {
            return requeue_page(transaction, context_, page, life);
        }
    );
}

}  // namespace jobstrand::persistence
