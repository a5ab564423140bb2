#pragma once

#include "schema/histogram.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace jobstrand::service {

/// What a server has done since it began. Thread safety: safe.
struct HttpCounts {
    /// Responses by the first digit of their status: those of 2xx stand at 2.
    std::array<std::atomic<std::uint64_t>, 6> responses{};
    schema::DurationHistogram durations;  ///< From a whole request to its response.
    std::atomic<std::uint64_t> connections{0};
    std::atomic<std::uint64_t> refused_connections{0};
    std::atomic<std::uint64_t> failed_handshakes{0};  ///< Of TLS.
    std::atomic<std::int64_t> open_connections{0};
};

}  // namespace jobstrand::service
