#include "bench/core/open_loop.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

namespace jobstrand::bench {

namespace {

schema::SteadyPoint intended_time(const SendPlan& plan, schema::SteadyPoint start, std::size_t n) {
    if (plan.per_second <= 0) {
        return std::chrono::steady_clock::now();
    }
    const std::chrono::duration<double> offset(static_cast<double>(n) / plan.per_second);
    return start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(offset);
}

}  // namespace

std::size_t count_within(double per_second, schema::Duration time) {
    const double count = per_second * std::chrono::duration<double>(time).count();
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(count)));
}

void send_as_planned(
    const SendPlan& plan,
    const std::function<void(std::size_t number, schema::SteadyPoint intended)>& send
) {
    const schema::SteadyPoint start = std::chrono::steady_clock::now();
    std::atomic<std::size_t> next{0};
    run_threads(plan.senders, [&](std::size_t) {
        // Otherwise the kernel lets each sleep last 50 microseconds longer.
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        for (std::size_t number = next++; number < plan.count; number = next++) {
            const schema::SteadyPoint intended = intended_time(plan, start, number);
            std::this_thread::sleep_until(intended);
            send(number, intended);
        }
    });
}

}  // namespace jobstrand::bench
