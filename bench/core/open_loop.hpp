#pragma once

#include "schema/time.hpp"

#include <chrono>
#include <cstddef>
#include <ctime>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

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

/// Calls `work(0)` to `work(count - 1)` on a thread each and waits for all. Throws what the first
/// of them threw.
inline void run_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::exception_ptr first;
    std::mutex mutex;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        // Defended catch: an exception must not end the thread, and with it the program.
        threads.emplace_back([&, i] {
            try {
                work(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                first = first ? first : std::current_exception();
            }
        });
    }
    threads.clear();
    if (first) {
        std::rethrow_exception(first);
    }
}

/// When things are to be sent, whatever becomes of those before: number n at start + n / rate.
struct SendPlan {
    std::size_t count = 0;
    double per_second = 0;    ///< Zero: one after the other, as fast as each sender can.
    std::size_t senders = 1;  ///< Threads; a free one takes the next number.
};

/// How many are sent at this rate in this time; at least one.
[[nodiscard]] std::size_t count_within(double per_second, schema::Duration time);

/// Calls `send` for the numbers 0 to count - 1. It is told when that number was meant to be sent: a
/// latency counted from then contains the wait of a sender that was held up, so nothing is hidden
/// by coordinated omission. Throws what `send` throws.
void send_as_planned(
    const SendPlan& plan,
    const std::function<void(std::size_t number, schema::SteadyPoint intended)>& send
);

}  // namespace jobstrand::bench
