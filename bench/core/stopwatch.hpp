#pragma once

#include <chrono>
#include <cstddef>
#include <ctime>

namespace jobstrand::bench {

/// Starts when it is made.
class Stopwatch final {
public:
    [[nodiscard]] double seconds() const { return seconds_until(std::chrono::steady_clock::now()); }
    [[nodiscard]] double seconds_until(std::chrono::steady_clock::time_point end) const {
        return std::chrono::duration<double>(end - start_).count();
    }

    /// So many per second, since the start.
    [[nodiscard]] double rate(std::size_t count) const {
        return static_cast<double>(count) / seconds();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The CPU time of all threads of this process so far, in seconds.
[[nodiscard]] inline double process_cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace jobstrand::bench
