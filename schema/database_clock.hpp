#pragma once

#include "schema/clock.hpp"

#include <atomic>

namespace jobstrand::schema {

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

}  // namespace jobstrand::schema
