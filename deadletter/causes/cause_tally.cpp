#include "deadletter/causes/cause_tally.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace jobstrand::deadletter
