#include "persistence/claims/claimed_jobs.hpp"
#include "persistence/jobs/named_jobs.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/series/move_pipeline.hpp"

#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

// A lock does not protect a job from it: the move raises REV_ and takes the row out of its table,
// so that the holder's fence fails, whatever the run comes to.
std::vector<JobAnswer> SqlOperatorStore::cancel(
    schema::JobPlace place,
    std::span<const std::string> ids,
    std::string_view message,
    schema::TimePoint now
) {
    return change_named_jobs(context_, place, ids, [&](Transaction& transaction, auto page) {
        MovePipeline moves(transaction, context_, place, now);
        moves.decide(rows_to_change(transaction, place, page), [&](const schema::Job& row) {
            return schema::cancelled(row, std::string(message), now);
        });
        moves.write();
        AnswersById answers;
        for (std::string& id : moves.leaving_ids()) {
            answers.emplace(std::move(id), JobAnswer::done);
        }
        return answers;
    });
}

AnswersById remove_page(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    AnswersById answers;
    std::vector<Job> rows = rows_to_change(transaction, place, ids);
    for (const Job& row : rows) {
        answers[row.id] = is_locked(row, now) ? JobAnswer::locked : JobAnswer::done;
    }
    std::erase_if(rows, [now](const Job& row) { return is_locked(row, now); });
    MovePipeline moves(transaction, context, place, now);
    moves.decide(std::move(rows), schema::removed);
    moves.write();
    return answers;
}

std::vector<JobAnswer>
SqlOperatorStore::remove(JobPlace place, std::span<const std::string> ids, schema::TimePoint now) {
    return change_named_jobs(context_, place, ids, [&](Transaction& transaction, auto page) {
        return remove_page(transaction, context_, place, page, now);
    });
}

}  // namespace jobstrand::persistence
