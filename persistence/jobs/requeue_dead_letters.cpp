#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/due_date_range.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

struct NewLife {
    int retries = 0;
    std::optional<schema::TimePoint> due_date;
    schema::TimePoint now;
};

/// Returns the ids that were dead letters.
std::vector<std::string> requeue_page(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    const NewLife& life
) {
    require_storable(life.due_date, transaction.dialect());
    std::vector<Job> rows = lock_rows(transaction, JobPlace::dead_letter, ids);
    MovePipeline moves(transaction, context, JobPlace::dead_letter, life.now);
    moves.decide(std::move(rows), [&](const Job& row) {
        return schema::requeued(row, life.retries, life.due_date, life.now);
    });
    moves.write();
    return moves.leaving_ids();
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
    const std::set<std::string_view> unique(ids.begin(), ids.end());
    const std::vector<std::string_view> sorted(unique.begin(), unique.end());
    std::set<std::string, std::less<>> requeued;
    for (std::span<const std::string_view> rest = sorted; !rest.empty();) {
        const auto page = rest.first(std::min(rest.size(), schema::limits::kJobsPerTransaction));
        std::vector<std::string> done;
        context.runner.run(
            [&](Transaction& transaction) {
                done = requeue_page(transaction, context, page, life);
            },
            [&](Transaction& transaction) {
                return !is_any_in(transaction, JobPlace::dead_letter, done);
            }
        );
        requeued.insert(done.begin(), done.end());
        rest = rest.subspan(page.size());
    }
    std::vector<JobAnswer> answers;
    for (const std::string& id : ids) {
        answers.push_back(requeued.contains(id) ? JobAnswer::done : JobAnswer::not_found);
    }
    return answers;
}

}  // namespace jobstrand::persistence
