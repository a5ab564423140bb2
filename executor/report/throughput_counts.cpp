#include "executor/report/throughput_counts.hpp"

#include "schema/job_transition.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

using namespace std::chrono_literals;
using schema::RunSums;
using schema::ThroughputSpan;
using schema::TimePoint;

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

namespace {

using Reason = schema::TransitionReason;

[[nodiscard]] bool is_failed_run(Reason reason) {
    return reason == Reason::retry || reason == Reason::retries_exhausted ||
           reason == Reason::not_retryable;
}

[[nodiscard]] TimePoint begin_of_span(TimePoint now, schema::Duration length) {
    return now - now.time_since_epoch() % length;
}

[[nodiscard]] bool is_within(const ThroughputSpan& span, TimePoint now) {
    return now >= span.at && now < span.at + span.length;
}

}  // namespace

void ThroughputCounts::begun(const schema::Job& job, TimePoint began, TimePoint now) {
    const std::lock_guard lock(mutex_);
    go_on_to(now);
    begin(job, began);
}

void ThroughputCounts::begun(std::span<const schema::Job> jobs, TimePoint now) {
    const std::lock_guard lock(mutex_);
    go_on_to(now);
    for (const schema::Job& job : jobs) {
        begin(job, now);
    }
}

void ThroughputCounts::begin(const schema::Job& job, TimePoint began) {
    RunSums& sums = of(job.handler_type);
    sums.begun += job.attempts == 0 ? 1 : 0;
    if (const auto could_run = std::max(job.due_date, job.create_time)) {
        sums.waited.add(began - *could_run);
    }
}

void ThroughputCounts::ended(
    std::span<const persistence::Outcome> outcomes,
    const std::set<const schema::Job*>& lost,
    TimePoint now
) {
    const std::lock_guard lock(mutex_);
    go_on_to(now);
    for (const persistence::Outcome& outcome : outcomes) {
        const schema::Transition& transition = outcome.transition;
        if (outcome.duration && outcome.ended && !outcome.is_begin_counted) {
            begin(*outcome.job, *outcome.ended - *outcome.duration);
        }
        const bool is_dead = transition.to == schema::JobPlace::dead_letter;
        const bool has_failed = is_failed_run(transition.reason);
        const bool is_run = has_failed || transition.reason == Reason::completed;
        if ((!is_run && !is_dead) || (!lost.empty() && lost.contains(outcome.job.get()))) {
            continue;
        }
        RunSums& sums = of(outcome.job->handler_type);
        sums.completed += is_run && !has_failed ? 1 : 0;
        sums.failed += has_failed ? 1 : 0;
        sums.dead += is_dead ? 1 : 0;
        if (is_run && outcome.duration) {
            sums.ran.add(*outcome.duration);
        }
    }
}

void ThroughputCounts::ended(std::string_view handler_type, const RunEnd& end, TimePoint now) {
    const std::lock_guard lock(mutex_);
    go_on_to(now);
    RunSums& sums = of(handler_type);
    ++(end.has_failed ? sums.failed : sums.completed);
    sums.dead += end.is_dead ? 1 : 0;
    if (end.ran) {
        sums.ran.add(*end.ran);
    }
}

std::vector<ThroughputSpan> ThroughputCounts::take(TimePoint now) {
    const std::lock_guard lock(mutex_);
    go_on_to(now);
    return take_over();
}

std::vector<ThroughputSpan> ThroughputCounts::take_all() {
    const std::lock_guard lock(mutex_);
    end_short_span();
    end_long_span();
    return take_over();
}

std::vector<ThroughputSpan> ThroughputCounts::take_over() {
    std::vector<ThroughputSpan> spans(
        std::make_move_iterator(over_.begin()), std::make_move_iterator(over_.end())
    );
    over_.clear();
    return spans;
}

RunSums& ThroughputCounts::of(std::string_view handler_type) {
    if (last_sums_ == nullptr || last_type_ != handler_type) {
        last_sums_ = &short_.counts.of(handler_type);
        const auto found = short_.counts.types().find(handler_type);
        last_type_ = found == short_.counts.types().end() ? std::string_view() : found->first;
    }
    return *last_sums_;
}

// A clock that was set back begins a span anew, too.
void ThroughputCounts::go_on_to(TimePoint now) {
    if (is_within(short_, now)) {
        return;
    }
    end_short_span();
    short_.at = begin_of_span(now, short_.length);
    if (!is_within(long_, now)) {
        end_long_span();
        long_.at = begin_of_span(now, long_.length);
    }
}

void ThroughputCounts::end_short_span() {
    long_.counts.merge(short_.counts);
    last_sums_ = nullptr;
    add_over({short_.length, short_.at, std::exchange(short_.counts, schema::Throughput())});
}

void ThroughputCounts::end_long_span() {
    add_over({long_.length, long_.at, std::exchange(long_.counts, schema::Throughput())});
}

void ThroughputCounts::add_over(ThroughputSpan&& span) {
    if (span.counts.is_empty()) {
        return;
    }
    if (over_.size() == kMostSpans) {
        over_.pop_front();
    }
    over_.push_back(std::move(span));
}

namespace {

/// Between two looks for what is too old, and after one that has found a whole page.
constexpr schema::Duration kForgetInterval = 5min;
constexpr schema::Duration kForgetSoon = 2s;

}  // namespace

schema::Duration ThroughputWriting::run_once() {
    if (use_.store == nullptr) {
        return kUntilWoken;
    }
    count_long_runs();
    add(use_.counts.take(use_.clock.now()));
    write();
    if (use_.clock.steady_now() >= forgets_at_) {
        forget_old();
    }
    // A span is over when the next one begins.
    return schema::kShortSpan - use_.clock.now().time_since_epoch() % schema::kShortSpan;
}

void ThroughputWriting::write_the_rest() {
    if (use_.store != nullptr) {
        add(use_.counts.take_all());
        write();
    }
}

void ThroughputWriting::count_long_runs() {
    const schema::TimePoint now = use_.clock.now();
    const schema::SteadyPoint steady_now = use_.clock.steady_now();
    for (const HeldJobPtr& held : use_.held.running()) {
        const auto runs_for = std::chrono::floor<schema::Duration>(steady_now - held->began.load());
        if (runs_for >= schema::kShortSpan && !held->is_begin_counted.exchange(true)) {
            use_.counts.begun(held->job, now - runs_for, now);
        }
    }
}

void ThroughputWriting::add(std::vector<schema::ThroughputSpan> spans) {
    std::ranges::move(spans, std::back_inserter(unwritten_));
    if (unwritten_.size() > ThroughputCounts::kMostSpans) {
        const auto excess = unwritten_.size() - ThroughputCounts::kMostSpans;
        unwritten_.erase(
            unwritten_.begin(), std::next(unwritten_.begin(), static_cast<std::ptrdiff_t>(excess))
        );
    }
}

void ThroughputWriting::write() {
    if (!unwritten_.empty()) {
        use_.store->add_throughput(node_, unwritten_);
        unwritten_.clear();
    }
}

void ThroughputWriting::forget_old() {
    const schema::TimePoint now = use_.clock.now();
    const bool is_more_short =
        use_.store->forget_throughput(schema::kShortSpan, now - schema::kShortSpansLast);
    const bool is_more_long =
        use_.store->forget_throughput(schema::kLongSpan, now - schema::kLongSpansLast);
    forgets_at_ =
        use_.clock.steady_now() + (is_more_short || is_more_long ? kForgetSoon : kForgetInterval);
}

}  // namespace jobstrand::executor
