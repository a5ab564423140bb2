#pragma once

#include "schema/failure_classes.hpp"

#include <atomic>
#include <cstdint>

namespace jobstrand::executor {

/// What external workers have done through this node since it began. Thread safety: safe.
struct WorkerCounts {
    std::atomic<std::uint64_t> acquired{0};
    std::atomic<std::uint64_t> completed{0};
    std::atomic<std::uint64_t> handed_on{0};
    std::atomic<std::uint64_t> failed{0};
    schema::FailureClasses failure_classes;  ///< What these died of.
    std::atomic<std::uint64_t> given_back{0};
    std::atomic<std::uint64_t> not_held{0};  ///< Results that were refused.
};

}  // namespace jobstrand::executor
