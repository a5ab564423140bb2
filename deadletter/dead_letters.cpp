#include "deadletter/dead_letters.hpp"

#include "schema/limits.hpp"

#include <algorithm>

namespace jobstrand::deadletter {

namespace {

using persistence::JobAnswer;
using schema::JobPlace;

constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;

}  // namespace

DeadLetters::DeadLetters(persistence::JobDesk& store, const schema::Clock& clock)
    : store_(store), clock_(clock) {}

Progress DeadLetters::requeue(
    const persistence::JobFilter& filter,
    const Revival& revival,
    const OnProgress& on_progress
) {
    const auto requeue_page = [&](const std::vector<std::string>& ids) {
        return store_.requeue(ids, revival.retries, revival.due_date, clock_.now());
    };
    return for_each_page(filter, requeue_page, on_progress);
}

Progress DeadLetters::remove(const persistence::JobFilter& filter, const OnProgress& on_progress) {
    const auto remove_page = [&](const std::vector<std::string>& ids) {
        return store_.remove(JobPlace::dead_letter, ids, clock_.now());
    };
    return for_each_page(filter, remove_page, on_progress);
}

// Walks by id, so a job that dies again behind the cursor is not taken twice by one call.
Progress DeadLetters::for_each_page(
    const persistence::JobFilter& filter,
    const PageOperation& operation,
    const OnProgress& on_progress
) {
    Progress progress{.total = store_.count(JobPlace::dead_letter, filter)};
    std::string after;
    while (true) {
        const std::vector<std::string> ids =
            store_.list_ids(JobPlace::dead_letter, filter, after, kPage);
        if (ids.empty()) {
            return progress;
        }
        after = ids.back();
        const std::vector<JobAnswer> answers = operation(ids);
        const auto done = std::count(answers.begin(), answers.end(), JobAnswer::done);
        progress.done += done;
        progress.skipped += static_cast<std::int64_t>(ids.size()) - done;
        if (!on_progress(progress)) {
            return progress;
        }
    }
}

}  // namespace jobstrand::deadletter
