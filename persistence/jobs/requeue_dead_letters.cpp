#include "persistence/jobs/named_jobs.hpp"
#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/due_date_range.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/move_pipeline.hpp"

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

struct NewLife {
    int retries = 0;
    std::optional<schema::TimePoint> due_date;
    schema::TimePoint now;
};

AnswersById requeue_page(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    const NewLife& life
) {
    require_storable(life.due_date, transaction.dialect());
    MovePipeline moves(transaction, context, JobPlace::dead_letter, life.now);
    moves.decide(rows_for_update(transaction, JobPlace::dead_letter, ids), [&](const Job& row) {
        return schema::requeued(row, life.retries, life.due_date, life.now);
    });
    moves.write();
    AnswersById answers;
    for (std::string& id : moves.leaving_ids()) {
        answers.emplace(std::move(id), JobAnswer::done);
    }
    return answers;
}

}  // namespace

std::vector<JobAnswer> requeue_dead_letters(
    const StoreContext& context,
    std::span<const std::string> ids,
    int retries,
    std::optional<schema::TimePoint> due_date,
    schema::TimePoint now
) {
    const NewLife life{.retries = retries, .due_date = due_date, .now = now};
    return change_named_jobs(
        context,
        JobPlace::dead_letter,
        ids,
        [&](Transaction& transaction, auto page) {
            return requeue_page(transaction, context, page, life);
        }
    );
}

}  // namespace jobstrand::persistence
