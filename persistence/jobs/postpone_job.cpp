#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/due_date_range.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/move_pipeline.hpp"

#include <span>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

JobAnswer postpone(
    Transaction& transaction,
    const StoreContext& context,
    const NamedJob& job,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    require_storable(due_date, transaction.dialect());
    std::vector<schema::Job> rows = rows_for_update(transaction, job.place, std::span(&job.id, 1));
    if (rows.empty()) {
        return JobAnswer::not_found;
    }
    if (is_locked(rows.front(), now)) {
        return JobAnswer::locked;
    }
    MovePipeline moves(transaction, context, job.place, now);
    moves.decide(std::move(rows), [due_date](const schema::Job& row) {
        return schema::postponed(row, due_date);
    });
    moves.write();
    return JobAnswer::done;
}

}  // namespace

JobAnswer postpone_job(
    const StoreContext& context,
    const NamedJob& job,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    JobAnswer answer = JobAnswer::not_found;
    context.runner.run(
        [&](Transaction& transaction) {
            answer = postpone(transaction, context, job, due_date, now);
        },
        [&](Transaction& transaction) {
            const std::string id(job.id);
            return !is_any_in(transaction, job.place, std::span(&id, 1));
        }
    );
    return answer;
}

}  // namespace jobstrand::persistence
