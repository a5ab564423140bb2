#include "executor/report/throughput_writing.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>

namespace jobstrand::executor {

namespace {

using namespace std::chrono_literals;

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
