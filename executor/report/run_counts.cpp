#include "executor/report/run_counts.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jobstrand::executor {

namespace {

constexpr schema::Duration kMinute = std::chrono::minutes(1);

[[nodiscard]] bool has_failed(const schema::Transition& transition) {
    using Reason = schema::TransitionReason;
    return transition.reason == Reason::retry || transition.reason == Reason::retries_exhausted ||
           transition.reason == Reason::not_retryable;
}

[[nodiscard]] bool is_of_a_run(const schema::Transition& transition) {
    return transition.reason == schema::TransitionReason::completed || has_failed(transition);
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
                last = current_.try_emplace(type).first;
            }
            ++last->second.runs;
            last->second.failed += has_failed(outcome.transition) ? 1 : 0;
        }
    }
}

void RunCounts::add(const std::string& handler_type, bool has_failed) {
    const std::lock_guard lock(mutex_);
    Count& count = current_[handler_type];
    ++count.runs;
    count.failed += has_failed ? 1 : 0;
}

std::vector<persistence::TypeRuns> RunCounts::last_minute(schema::SteadyPoint now) {
    const std::lock_guard lock(mutex_);
    const schema::SteadyPoint from = began_ ? last_call_ : now;
    began_ = began_.value_or(now);
    last_call_ = now;
    if (!current_.empty()) {
        periods_.push_back({.from = from, .until = now, .counts = std::exchange(current_, {})});
    }
    while (!periods_.empty() && periods_.front().until <= now - kMinute) {
        periods_.pop_front();
    }
    Counts sum;
    for (const Period& period : periods_) {
        for (const auto& [type, count] : period.counts) {
            sum[type].runs += count.runs;
            sum[type].failed += count.failed;
        }
    }
    return most_frequent(sum, span(now));
}

// As far back as what is counted goes.
schema::Duration RunCounts::span(schema::SteadyPoint now) const {
    const schema::SteadyPoint minute_ago = now - kMinute;
    const schema::SteadyPoint from =
        periods_.empty() ? minute_ago : std::min(periods_.front().from, minute_ago);
    const auto span = std::chrono::round<schema::Duration>(now - std::max(from, *began_));
    return std::max(span, schema::Duration(1));
}

std::vector<persistence::TypeRuns>
RunCounts::most_frequent(const Counts& counts, schema::Duration span) {
    std::vector<persistence::TypeRuns> types;
    for (const auto& [type, count] : counts) {
        types.push_back(
            {.handler_type = type, .runs = count.runs, .failed = count.failed, .span = span}
        );
    }
    if (types.size() > persistence::NodeWork::kMost) {
        std::ranges::stable_sort(types, std::greater{}, &persistence::TypeRuns::runs);
        types.resize(persistence::NodeWork::kMost);
        std::ranges::sort(types, {}, &persistence::TypeRuns::handler_type);
    }
    return types;
}

}  // namespace jobstrand::executor
