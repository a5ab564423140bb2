#include "persistence/jobs/named_jobs.hpp"

#include "persistence/rows/job_table.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <set>

namespace jobstrand::persistence {

namespace {

std::vector<std::string> ids_with_answer(const AnswersById& answers, JobAnswer wanted) {
    std::vector<std::string> ids;
    for (const auto& [id, answer] : answers) {
        if (answer == wanted) {
            ids.push_back(id);
        }
    }
    return ids;
}

}  // namespace

std::vector<JobAnswer> change_pages(
    const StoreContext& context,
    std::span<const std::string> ids,
    const ChangeOfPage& change,
    const WasPageDone& was_done
) {
    const std::set<std::string_view> unique(ids.begin(), ids.end());
    const std::vector<std::string_view> sorted(unique.begin(), unique.end());
    AnswersById all;
    for (std::span<const std::string_view> rest = sorted; !rest.empty();) {
        const auto page = rest.first(std::min(rest.size(), schema::limits::kJobsPerTransaction));
        AnswersById answers;
        context.runner.run(
            [&](Transaction& transaction) { answers = change(transaction, page); },
            [&](Transaction& transaction) { return was_done(transaction, answers); }
        );
        all.merge(answers);
        rest = rest.subspan(page.size());
    }
    std::vector<JobAnswer> in_order;
    in_order.reserve(ids.size());
    for (const std::string& id : ids) {
        const auto found = all.find(id);
        in_order.push_back(found == all.end() ? JobAnswer::not_found : found->second);
    }
    return in_order;
}

std::vector<JobAnswer> change_named_jobs(
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string> ids,
    const ChangeOfPage& change
) {
    return change_pages(
        context,
        ids,
        change,
        [place](Transaction& transaction, const AnswersById& answers) {
            return !is_any_in(transaction, place, ids_with_answer(answers, JobAnswer::done));
        }
    );
}

}  // namespace jobstrand::persistence
