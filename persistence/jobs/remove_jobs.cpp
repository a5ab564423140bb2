#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/series_turns.hpp"
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

std::vector<std::string_view> in_id_order(std::span<const std::string> ids) {
    const std::set<std::string_view> sorted(ids.begin(), ids.end());
    return {sorted.begin(), sorted.end()};
}

/// A series ends with the turn that carries it on.
void end_series_of(
    Transaction& transaction,
    const StoreContext& context,
    std::vector<const Job*> jobs,
    schema::TimePoint now
) {
    std::erase_if(jobs, [](const Job* job) { return job->repeat.empty(); });
    if (jobs.empty()) {
        return;
    }
    SeriesTurns turns(transaction, context, jobs, now);
    for (const Job* job : jobs) {
        turns.removed(*job);
    }
    turns.write();
}

AnswersById remove_page(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    AnswersById answers;
    const std::vector<Job> rows = lock_rows(transaction, place, ids);
    std::vector<const Job*> free;
    std::vector<std::string_view> free_ids;
    for (const Job& row : rows) {
        answers[row.id] = is_locked(row, now) ? JobAnswer::locked : JobAnswer::done;
        if (!is_locked(row, now)) {
            free.push_back(&row);
            free_ids.emplace_back(row.id);
        }
    }
    delete_rows(transaction, place, free_ids);
    delete_byte_arrays_of(transaction, free);
    end_series_of(transaction, context, free, now);
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
    const std::vector<std::string_view> sorted = in_id_order(ids);
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
