#include "deadletter/policies/dead_letter_cleaning.hpp"

#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jobstrand::deadletter {

namespace {

using persistence::JobAnswer;
using persistence::SortedPart;
using schema::Job;
using schema::JobPlace;

/// Jobs of one transaction, and transactions of one pass.
constexpr std::size_t kJobs = 500;
constexpr int kTransactions = 20;

/// Between two passes that found as much as they may do.
constexpr schema::Duration kNextPass = std::chrono::milliseconds(50);

std::vector<std::string> ids_of(const std::vector<Job>& jobs) {
    std::vector<std::string> ids;
    std::ranges::transform(jobs, std::back_inserter(ids), &Job::id);
    return ids;
}

}  // namespace

DeadLetterCleaning::DeadLetterCleaning(
    Dependencies dependencies,
    DeadLetterRetention retention,
    schema::DayWindow window,
    schema::Duration interval
)
    : use_(std::move(dependencies)), retention_(retention), window_(window), interval_(interval) {}

schema::Duration DeadLetterCleaning::run_once() {
    const schema::TimePoint now = use_.clock.now();
    if (!window_.contains(now)) {
        return std::min(window_.wait_at(now), interval_);  // The clock may be set meanwhile.
    }
    std::vector<std::string> page = next_page();
    if (page.empty()) {
        return interval_;
    }
    remove(std::move(page));
    return kNextPass;
}

/// What is to be removed first; empty: nothing.
std::vector<std::string> DeadLetterCleaning::next_page() const {
    std::vector<std::string> page = too_old();
    return page.empty() ? too_many() : page;
}

std::vector<std::string> DeadLetterCleaning::too_old() const {
    if (retention_.age == schema::Duration{0}) {
        return {};
    }
    const schema::TimePoint end = use_.clock.now() - retention_.age;
    return ids_of(use_.store.list_in_order(
        JobPlace::dead_letter,
        {.fields = {persistence::is_before(&Job::failed_time, end)}, .only_ours = true},
        {.by = &Job::failed_time, .limit = kJobs}
    ));
}

std::vector<std::string> DeadLetterCleaning::too_many() const {
    if (retention_.rows == 0) {
        return {};
    }
    const std::int64_t surplus =
        use_.store.count(JobPlace::dead_letter, {.only_ours = true}) - retention_.rows;
    if (surplus <= 0) {
        return {};
    }
    const std::size_t most = std::min(static_cast<std::size_t>(surplus), kJobs);
    const auto undated = use_.store.list_in_order(
        JobPlace::dead_letter,
        {.fields = {persistence::is_absent(&Job::failed_time)}, .only_ours = true},
        {.limit = most}
    );
    if (!undated.empty()) {
        return ids_of(undated);
    }
    return ids_of(use_.store.list_in_order(
        JobPlace::dead_letter, {.only_ours = true}, {.by = &Job::failed_time, .limit = most}
    ));
}

std::string DeadLetterCleaning::arguments() const {
    return fmt::format(
        "deadLetterRetention = {}, deadLetterMaxRows = {}",
        schema::format_duration(retention_.age),
        retention_.rows
    );
}

void DeadLetterCleaning::remove(std::vector<std::string> page) {
    const persistence::AuditedAction action{
        .who = use_.node,
        .via = kByPolicy,
        .action = "dead rm",
        .arguments = arguments(),
        .reason = {}};
    use_.audit.run(action, [&] {
        std::int64_t removed = 0;
        for (int pages = 0; pages < kTransactions && !page.empty(); ++pages, page = next_page()) {
            const auto answers = use_.store.remove(JobPlace::dead_letter, page, use_.clock.now());
            removed += std::ranges::count(answers, JobAnswer::done);
        }
        return ActionEnd{.result = "done", .changed = removed};
    });
}

}  // namespace jobstrand::deadletter
