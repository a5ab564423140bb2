#include "executor/report/run_counts.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jobstrand::executor {

namespace {

constexpr schema::Duration kMinute = std::chrono::minutes(1);

[[nodiscard]] bool is_of_a_run(const schema::Transition& transition) {
    using Reason = schema::TransitionReason;
    return transition.reason == Reason::completed || transition.reason == Reason::retry ||
           transition.reason == Reason::retries_exhausted ||
           transition.reason == Reason::not_retryable;
}

[[nodiscard]] std::vector<persistence::TypeRuns> most_frequent(
    const std::map<std::string, std::int64_t, std::less<>>& counts
) {
    std::vector<persistence::TypeRuns> types;
    for (const auto& [type, runs] : counts) {
        types.push_back({.handler_type = type, .runs = runs});
    }
    if (types.size() > persistence::NodeWork::kMost) {
        std::ranges::stable_sort(types, std::greater{}, &persistence::TypeRuns::runs);
        types.resize(persistence::NodeWork::kMost);
        std::ranges::sort(types, {}, &persistence::TypeRuns::handler_type);
    }
    return types;
}

}  // namespace

void RunCounts::add(std::span<const persistence::Outcome> outcomes) {
    const std::lock_guard lock(mutex_);
    // Neighbours are often of one type: then none is looked for.
    auto last = current_.end();
    for (const persistence::Outcome& outcome : outcomes) {
        if (is_of_a_run(outcome.transition)) {
            const std::string& type = outcome.job->handler_type;
            if (last == current_.end() || last->first != type) {
                last = current_.try_emplace(type, 0).first;
            }
            ++last->second;
        }
    }
}

void RunCounts::add(const std::string& handler_type) {
    const std::lock_guard lock(mutex_);
    ++current_[handler_type];
}

std::vector<persistence::TypeRuns> RunCounts::last_minute(schema::SteadyPoint now) {
    const std::lock_guard lock(mutex_);
    if (!current_.empty()) {
        periods_.push_back({.until = now, .counts = std::exchange(current_, {})});
    }
    while (!periods_.empty() && periods_.front().until <= now - kMinute) {
        periods_.pop_front();
    }
    Counts sum;
    for (const Period& period : periods_) {
        for (const auto& [type, runs] : period.counts) {
            sum[type] += runs;
        }
    }
    return most_frequent(sum);
}

}  // namespace jobstrand::executor
