#pragma once

#include "schema/time.hpp"

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

}  // namespace jobstrand::schema
