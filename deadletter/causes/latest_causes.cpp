#include "deadletter/causes/latest_causes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace jobstrand::deadletter {

namespace {

constexpr std::size_t kPage = 2'000;

using schema::Job;

/// The one that is the last of the latest `most`; nullopt: there are no more than these.
[[nodiscard]] std::optional<Job> last_of(persistence::OperatorStore& store, std::size_t most) {
    return store.mark_ahead(
        schema::JobPlace::dead_letter,
        {.by = &Job::failed_time, .is_descending = true, .limit = most}
    );
}

}  // namespace

CauseSummary
latest_causes(persistence::OperatorStore& store, std::size_t most, persistence::JobFilter filter) {
    CauseTally tally;
    const std::optional<Job> last = last_of(store, most);
    if (last && last->failed_time) {
        auto since = persistence::is_after(&Job::failed_time, *last->failed_time);
        since.match = persistence::FieldCondition::Match::not_below;
        filter.fields.push_back(std::move(since));
    }
    std::optional<persistence::DeadLetterMark> behind;
    std::size_t left = most;
    while (left > 0) {
        const std::size_t wanted = std::min(left, kPage);
        const auto page = store.newest_failures(filter, behind, wanted);
        std::ranges::for_each(page, [&](const auto& failure) { tally.add(failure); });
        if (page.size() < wanted) {
            break;
        }
        behind = {.failed_time = page.back().failed_time, .id = page.back().id};
        left -= page.size();
    }
    // Those that do not say when they died stand behind all marks.
    const bool are_more = last || (left == 0 && !store.newest_failures(filter, behind, 1).empty());
    CauseSummary summary = tally.take();
    summary.looked_at = are_more ? std::optional(most) : std::nullopt;
    for (CauseGroup& group : summary.groups) {
        group.looked_at = summary.looked_at;
    }
    return summary;
}

}  // namespace jobstrand::deadletter
