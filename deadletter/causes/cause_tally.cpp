#include "deadletter/causes/cause_tally.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace jobstrand::deadletter {

namespace {

void count_in(CauseGroup& group, const persistence::DeadLetterFailure& failure) {
    ++group.jobs;
    if (group.example.empty() || failure.failed_time >= group.last_failed) {
        group.example = failure.id;
    }
    if (failure.failed_time) {
        group.first_failed =
            std::min(group.first_failed.value_or(*failure.failed_time), *failure.failed_time);
        group.last_failed = std::max(group.last_failed, failure.failed_time);
    }
}

}  // namespace

void CauseTally::add(const persistence::DeadLetterFailure& failure) {
    FailureCause cause = cause_of(failure.handler_type, failure.message);
    std::string id = id_of(cause);
    auto found = groups_.find(id);
    if (found == groups_.end()) {
        if (groups_.size() == kCausesKept) {
            ++others_;
            return;
        }
        CauseGroup group{.id = id, .cause = std::move(cause)};
        found = groups_.emplace(std::move(id), std::move(group)).first;
    }
    count_in(found->second, failure);
}

CauseSummary CauseTally::take() {
    CauseSummary summary{.groups = {}, .others = others_};
    for (auto& [id, group] : groups_) {
        summary.groups.push_back(std::move(group));
    }
    groups_.clear();
    std::ranges::stable_sort(summary.groups, std::greater(), &CauseGroup::jobs);
    return summary;
}

namespace {

constexpr std::size_t kFailuresPage = 2'000;

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
        const std::size_t wanted = std::min(left, kFailuresPage);
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
