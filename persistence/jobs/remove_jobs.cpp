#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

/// What became of each id; ids that are not in here were not found.
using AnswersById = std::map<std::string, JobAnswer, std::less<>>;

std::vector<std::string_view> sorted_ids(std::span<const std::string> ids) {
    const std::set<std::string_view> sorted(ids.begin(), ids.end());
    return {sorted.begin(), sorted.end()};
}

AnswersById remove_page(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    AnswersById answers;
    std::vector<Job> rows = rows_for_update(transaction, place, ids);
    for (const Job& row : rows) {
        answers[row.id] = is_locked(row, now) ? JobAnswer::locked : JobAnswer::done;
    }
    std::erase_if(rows, [now](const Job& row) { return is_locked(row, now); });
    MovePipeline moves(transaction, context, place, now);
    moves.decide(std::move(rows), schema::removed);
    moves.write();
    return answers;
}

std::vector<JobAnswer> in_order_of(std::span<const std::string> ids, const AnswersById& by_id) {
    std::vector<JobAnswer> answers;
    for (const std::string& id : ids) {
        const auto found = by_id.find(id);
        answers.push_back(found == by_id.end() ? JobAnswer::not_found : found->second);
    }
    return answers;
}

std::vector<std::string> removed_ids(const AnswersById& by_id) {
    std::vector<std::string> ids;
    for (const auto& [id, answer] : by_id) {
        if (answer == JobAnswer::done) {
            ids.push_back(id);
        }
    }
    return ids;
}

}  // namespace

std::vector<JobAnswer> remove_jobs(
    const StoreContext& context,
    JobPlace place,
    std::span<const std::string> ids,
    schema::TimePoint now
) {
    AnswersById all;
    const std::vector<std::string_view> sorted = sorted_ids(ids);
    for (std::span<const std::string_view> rest = sorted; !rest.empty();) {
        const auto page = rest.first(std::min(rest.size(), schema::limits::kJobsPerTransaction));
        AnswersById answers;
        context.runner.run(
            [&](Transaction& transaction) {
                answers = remove_page(transaction, context, place, page, now);
            },
            [&](Transaction& transaction) {
                return !is_any_in(transaction, place, removed_ids(answers));
            }
        );
        all.merge(answers);
        rest = rest.subspan(page.size());
    }
    return in_order_of(ids, all);
}

}  // namespace jobstrand::persistence
