#pragma once

#include <atomic>
#include <cstdint>

namespace jobstrand::cli {

/// Spans since the service began. Thread safety: safe.
struct SpanCounts {
    std::atomic<std::uint64_t> exported{0};
    std::atomic<std::uint64_t> dropped{0};  ///< There was no room, or the collector refused them.
};

}  // namespace jobstrand::cli
