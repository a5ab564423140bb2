#pragma once

#include "schema/time.hpp"

#include <atomic>
#include <thread>

namespace jobstrand::schema {

/// Where the program gets the time from. Injected everywhere, so that a test turns it by hand.
///
/// Thread safety: every implementation may be read from all threads at once.
class Clock {
public:
    virtual ~Clock() = default;

    /// Wall time for what is stored and compared across machines: due dates, lock expiries.
    /// It may jump. On a server database it is the database's time (I6).
    [[nodiscard]] virtual TimePoint now() const = 0;

    /// Monotonic time for waits and for "is my lock still mine" on this machine.
    [[nodiscard]] virtual SteadyPoint steady_now() const = 0;
};

/// Blocks this thread. It is a way to wait for those whom nothing else wakes.
inline void sleep_for(Duration time) {
    std::this_thread::sleep_for(time);
}

/// The machine's own clocks.
class SystemClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const override {
        return std::chrono::floor<Duration>(std::chrono::system_clock::now());
    }
    [[nodiscard]] SteadyPoint steady_now() const override {
        return std::chrono::steady_clock::now();
    }
};

/// For who is given no other clock.
[[nodiscard]] inline const Clock& machine_clock() {
    static const SystemClock clock;
    return clock;
}

/// What the database's clock showed at some moment between two readings of this machine's steady
/// clock: when it was asked, and when the answer came.
struct ClockReading {
    TimePoint database_now;
    SteadyPoint asked;
    SteadyPoint answered;
};

/// The database's time (I6), told by this machine's steady clock since the last comparison. So a
/// machine whose wall clock is wrong, or jumps, does nothing too early and nothing too late. Until
/// the first comparison, and for a database without a clock of its own, it is the machine's time.
///
/// Thread safety: safe. The machine's clock must outlive it.
class DatabaseClock final : public Clock {
public:
    explicit DatabaseClock(const Clock& machine) : machine_(machine) {}

    [[nodiscard]] TimePoint now() const override;
    [[nodiscard]] SteadyPoint steady_now() const override { return machine_.steady_now(); }

    /// Takes the middle of the round trip as the moment of the reading; but a time that is possible
    /// by this reading is kept, so that the clock does not waver with the length of round trips.
    void follow(const ClockReading& reading);

    /// How far the machine's wall clock is ahead of the database's; negative: behind.
    [[nodiscard]] Duration skew() const { return machine_.now() - now(); }

private:
    const Clock& machine_;

    /// What to add to the steady clock; kNever before the first comparison.
    static constexpr Duration kNever = Duration::min();
    std::atomic<Duration> offset_{kNever};
};

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
