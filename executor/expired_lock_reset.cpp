#include "executor/expired_lock_reset.hpp"

#include "executor/loop/polling_loop.hpp"
#include "executor/loop/scan_start.hpp"
#include "schema/uuid7.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace jobstrand::executor {

namespace {

using namespace std::chrono_literals;
using schema::JobPlace;

constexpr std::array kPlacesWithLocks{
    JobPlace::executable,
    JobPlace::timer,
    JobPlace::external_worker};

/// Of a sweep.
constexpr int kPartsPerInterval = 10;

/// Renewal leaves every lock a third of its time at least, so a smaller step makes none expire.
schema::Duration least_jump(schema::Duration lock_time) {
    return std::max<schema::Duration>(lock_time / 3, 1s);
}

}  // namespace

schema::Duration ExpiredLockReset::run_once() {
    const schema::TimePoint now = use_.clock.now();
    if (is_waiting_after_jump() || is_waiting_after_outage()) {
        return timing_.interval;
    }
    const schema::SteadyPoint began = use_.clock.steady_now();
    if (const auto wait = until_there_may_be_any(began); wait > schema::Duration{0}) {
        return wait;
    }
    std::int64_t freed = 0;
    if (began >= next_part_) {
        freed += go_on_sweeping(now);
        next_part_ = began + between_parts();
    }
    if (began >= next_first_rows_) {
        freed += is_my_turn() ? look_at_first_rows(now) : 0;
        next_first_rows_ = began + timing_.interval;
    }
    if (freed > 0) {
        freed_ += static_cast<std::uint64_t>(freed);
        use_.log.write(schema::LogLevel::info, "expired locks freed", {{"jobs", freed}});
        use_.wake_ups.jobs_are_there();
    }
    const schema::SteadyPoint next =
        swept_.empty() ? next_first_rows_ : std::min(next_first_rows_, next_part_);
    return std::chrono::ceil<schema::Duration>(next - use_.clock.steady_now());
}

bool ExpiredLockReset::is_my_turn() const {
    return use_.turns == nullptr || use_.turns->is_mine();
}

schema::Duration ExpiredLockReset::between_parts() const {
    const std::int64_t share = use_.turns == nullptr ? 1 : use_.turns->share();
    return timing_.interval * share / kPartsPerInterval;
}

std::int64_t ExpiredLockReset::look_at_first_rows(schema::TimePoint now) {
    std::int64_t freed = 0;
    for (const JobPlace place : kPlacesWithLocks) {
        freed += look_at_first_rows(place, now);
    }
    // What waited for a dead node did not have its lock, and is free all the same.
    return freed + use_.store.reset_expired_groups(now);
}

std::int64_t ExpiredLockReset::look_at_first_rows(JobPlace place, schema::TimePoint now) {
    Head& head = heads_[place];
    const schema::SteadyPoint began = use_.clock.steady_now();
    const bool is_full = head.behind.empty() || head.full_looks.may_begin(began);
    if (place == JobPlace::timer && !is_full) {
        return 0;  // Those that are due have no other place to begin than the oldest.
    }
    auto looked_at = use_.store.reset_expired_locks(
        place,
        {.now = now,
         .after = is_full ? std::string_view() : std::string_view(head.behind),
         .page = timing_.page}
    );
    if (is_full) {
        head.full_looks.was_done(began, use_.clock.steady_now() - began);
    }
    head.behind = looked_at.first.empty() ? schema::first_uuid7(now - kUsualCommit)
                                          : just_before(std::move(looked_at.first));
    if (!looked_at.end.empty()) {
        swept_.try_emplace(place, std::move(looked_at.end));  // Unless a sweep is under way.
    }
    return looked_at.freed;
}

std::int64_t ExpiredLockReset::go_on_sweeping(schema::TimePoint now) {
    std::int64_t freed = 0;
    for (auto& [place, end] : swept_) {
        auto looked_at =
            use_.store.reset_expired_locks(place, {.now = now, .after = end, .page = timing_.page});
        freed += looked_at.freed;
        end = std::move(looked_at.end);
    }
    std::erase_if(swept_, [](const auto& sweep) { return sweep.second.empty(); });
    return freed;
}

// What it goes by is never older than if it had looked itself.
schema::Duration ExpiredLockReset::until_there_may_be_any(schema::SteadyPoint now) const {
    if (!swept_.empty() || use_.view == nullptr ||
        !use_.view->none_of(&persistence::IdleView::has_executable, now)) {
        return schema::Duration{0};
    }
    const auto age = use_.view->none_of(&persistence::IdleView::has_locks, now);
    return age ? timing_.interval - *age : schema::Duration{0};
}

bool ExpiredLockReset::is_waiting_after_outage() {
    const auto back_since = use_.store.back_since();
    return back_since &&
           (*back_since == schema::SteadyPoint::max() ||
            use_.clock.steady_now() - *back_since < timing_.lock_time + kFailureWaitMax);
}

bool ExpiredLockReset::is_waiting_after_jump() {
    const schema::SteadyPoint now = use_.clock.steady_now();
    if (clock_jumps_.has_jumped(use_.clock, least_jump(timing_.lock_time))) {
        const schema::Duration wait = kClockComparisonInterval + timing_.lock_time;
        wait_until_ = now + wait;
        use_.log.write(
            schema::LogLevel::warn,
            "the clock has jumped forward; no expired lock is freed until live ones are renewed",
            {{"wait_ms", wait.count()}}
        );
    }
    return now < wait_until_;
}

}  // namespace jobstrand::executor
