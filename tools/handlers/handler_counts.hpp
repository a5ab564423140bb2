#pragma once

#include <atomic>
#include <cstdint>

namespace jobstrand::cli {

/// What this program's handlers have met since it began, for whoever watches it. Thread safety:
/// safe.
struct HandlerCounts {
    /// Programs that were ended, and apps that did not answer or call back, at their time limits.
    std::atomic<std::uint64_t> timed_out{0};
};

}  // namespace jobstrand::cli
