#include "executor/expired_lock_reset.hpp"

#include "executor/clock_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jobstrand::executor {

namespace {

using namespace std::chrono_literals;

/// Renewal leaves every lock a third of its time at least, so a smaller step makes none expire.
schema::Duration least_jump(schema::Duration lock_time) {
    return std::max<schema::Duration>(lock_time / 3, 1s);
}

}  // namespace

ExpiredLockReset::ExpiredLockReset(
    persistence::JobStore& store,
    const schema::Clock& clock,
    schema::Log& log,
    Timing timing,
    std::function<void()> on_freed
)
    : store_(store), clock_(clock), log_(log), timing_(timing), on_freed_(std::move(on_freed)) {}

schema::Duration ExpiredLockReset::run_once() {
    const schema::TimePoint now = clock_.now();
    if (is_waiting_after_jump(now)) {
        return timing_.interval;
    }
    const std::int64_t freed = store_.reset_expired_locks(now, timing_.page);
    if (freed == 0) {
        return timing_.interval;
    }
    log_.write(schema::LogLevel::info, "expired locks freed", {{"jobs", fmt::to_string(freed)}});
    on_freed_();
    return schema::Duration{0};
}

bool ExpiredLockReset::is_waiting_after_jump(schema::TimePoint now) {
    const Moment pass{.wall = now, .steady = clock_.steady_now()};
    const Moment last = std::exchange(last_pass_, pass).value_or(pass);
    if ((pass.wall - last.wall) - (pass.steady - last.steady) > least_jump(timing_.lock_time)) {
        const schema::Duration wait = kClockComparisonInterval + timing_.lock_time;
        wait_until_ = pass.steady + wait;
        log_.write(
            schema::LogLevel::warn,
            "the clock has jumped forward; no expired lock is freed until live ones are renewed",
            {{"wait_ms", fmt::to_string(wait.count())}}
        );
    }
    return pass.steady < wait_until_;
}

}  // namespace jobstrand::executor
