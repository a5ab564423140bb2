#include "executor/async_executor.hpp"
#include "executor/job_wakeup.hpp"
#include "executor/loop/executor_threads.hpp"
#include "executor/pool/held_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace jobstrand::executor {

namespace {

using namespace std::chrono_literals;

/// A slow machine stands still for that long, too.
constexpr schema::Duration kLeastStandstill = 10s;

}  // namespace

persistence::NodeLoad AsyncExecutor::load() const {
    return {
        .workers = settings_.max_pool_size,
        .running = held_.running().size(),
        .held = held_.size(),
    };
}

ActivityCounts AsyncExecutor::activity_counts() const {
    return {
        .claims = acquirer_.claims(),
        .empty_claims = acquirer_.empty_claims(),
        .claimed = acquirer_.claimed(),
        .locks_reset = reset_.freed(),
        .dead_nodes = dead_.found(),
    };
}

ActivityTimes AsyncExecutor::activity_times() const {
    return {
        .claims = acquirer_.times(),
        .completions = completion_.report().times,
        .claimed = acquirer_.sizes(),
        .completed = completion_.report().sizes,
    };
}

schema::Duration AsyncExecutor::lease_left() const {
    return lease_.left(use_.clock.steady_now());
}

std::string AsyncExecutor::standstill() {
    if (!started_ || stopping_ || use_.store.back_since() == schema::SteadyPoint::max()) {
        return {};
    }
    const std::string_view stuck =
        threads_->stuck_for(std::max(2 * settings_.lock_time, kLeastStandstill));
    if (!stuck.empty()) {
        return fmt::format("{} has not come back from its last pass", stuck);
    }
    const std::size_t held = held_.size();
    const Standstill::View view{
        .held = held - std::min(held, completion_.refused().outcomes),
        .running = held_.running().size(),
        .moves = held_.moves()};
    const schema::Duration lasted = standstill_.seen(view, use_.clock.steady_now());
    return lasted < std::max(settings_.node_lease, kLeastStandstill)
               ? std::string()
               : fmt::format("{} jobs are held, and none of them runs", view.held);
}

persistence::NodeWork AsyncExecutor::work() {
    return {
        .runs = long_runs(held_.running(), settings_.node_lease / 3, use_.clock),
        .last_minute = completion_.run_counts().last_minute(use_.clock.steady_now()),
        .standstill = standstill(),
    };
}

}  // namespace jobstrand::executor
