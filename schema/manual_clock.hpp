#pragma once

#include "schema/clock.hpp"

#include <atomic>

namespace jobstrand::schema {

/// A clock that stands still until it is turned: of tests, and of apps that test with the kit.
/// Starts at 2026-01-01T00:00:00Z where no other time is given.
///
/// Thread safety: safe.
class ManualClock final : public Clock {
public:
    ManualClock() = default;
    explicit ManualClock(TimePoint start) : wall_ms_(start.time_since_epoch().count()) {}

    [[nodiscard]] TimePoint now() const override { return TimePoint(Duration(wall_ms_.load())); }
    [[nodiscard]] SteadyPoint steady_now() const override {
        return SteadyPoint(Duration(steady_ms_.load()));
    }

    /// Time passes: both clocks go on.
    void tick(Duration duration) {
        wall_ms_ += duration.count();
        steady_ms_ += duration.count();
    }

    /// Somebody sets the wall clock; no time passes.
    void set_wall(TimePoint now) { wall_ms_ = now.time_since_epoch().count(); }

private:
    std::atomic<Duration::rep> wall_ms_{1'767'225'600'000};
    std::atomic<Duration::rep> steady_ms_{1'000'000};
};

}  // namespace jobstrand::schema
