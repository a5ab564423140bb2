#include "persistence/claims/claimed_jobs.hpp"
#include "persistence/jobs/named_jobs.hpp"
#include "persistence/jobs/operator_pages.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/series/move_pipeline.hpp"

#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

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
