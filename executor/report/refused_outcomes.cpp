#include "executor/report/refused_outcomes.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::Outcome;

constexpr schema::Duration kFirstWait = std::chrono::seconds(1);
constexpr schema::Duration kLongestWait = std::chrono::minutes(1);

}  // namespace

bool RefusedOutcomes::add(Outcome outcome, std::string_view group, schema::SteadyPoint now) {
    const auto [entry, is_new] = refused_.try_emplace(outcome.job->id);
    Refused& refused = entry->second;
    refused.handler_type = outcome.job->handler_type;
    refused.group = group;
    refused.wait = is_new ? kFirstWait : std::min(2 * refused.wait, kLongestWait);
    refused.next = now + refused.wait;
    refused.outcome = std::move(outcome);
    return is_new;
}

bool RefusedOutcomes::add_behind(Outcome& outcome, std::string_view group) {
    const auto in_front = std::ranges::find_if(refused_, [group](const auto& entry) {
        return entry.second.outcome && entry.second.group == group;
    });
    // What has not run keeps nobody's order.
    if (group.empty() || in_front == refused_.end() ||
        outcome.transition.reason == schema::TransitionReason::released) {
        return false;
    }
    in_front->second.behind.push_back(std::move(outcome));
    return true;
}

std::vector<Outcome> RefusedOutcomes::take_due(schema::SteadyPoint now) {
    std::vector<Outcome> due;
    for (auto& [id, refused] : refused_) {
        if (refused.outcome && refused.next <= now) {
            due.push_back(*std::exchange(refused.outcome, std::nullopt));
            std::ranges::move(std::exchange(refused.behind, {}), std::back_inserter(due));
        }
    }
    return due;
}

void RefusedOutcomes::make_all_due() {
    for (auto& [id, refused] : refused_) {
        refused.next = {};
    }
}

std::optional<schema::SteadyPoint> RefusedOutcomes::next() const {
    std::optional<schema::SteadyPoint> next;
    for (const auto& [id, refused] : refused_) {
        if (refused.outcome) {
            next = std::min(next.value_or(refused.next), refused.next);
        }
    }
    return next;
}

void RefusedOutcomes::forget(const std::string& job) {
    // One that still waits is of an earlier run of the job.
    if (const auto found = refused_.find(job); found != refused_.end() && !found->second.outcome) {
        refused_.erase(found);
    }
}

std::set<std::string> RefusedOutcomes::types() const {
    std::set<std::string> types;
    for (const auto& [id, refused] : refused_) {
        types.insert(refused.handler_type);
    }
    return types;
}

}  // namespace jobstrand::executor
