#pragma once

#include <ctime>

namespace jobstrand::bench {

/// The CPU time of all threads of this process so far, in seconds.
[[nodiscard]] inline double process_cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace jobstrand::bench
