#pragma once

#include <jobstrand/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace jobstrand {

/// So many starts in any stretch of time of this length.
struct StartRate {
    int starts = 1;                            ///< 1 to 1,000,000.
    Duration period{std::chrono::seconds(1)};  ///< 1 s to 24 h.

    bool operator==(const StartRate&) const = default;
};

/// The most that may run at the same time, or start in some time, of the jobs that its name means;
/// nullopt: any number. docs/limits.md says more.
struct JobLimit {
    std::string name = {};               ///< `type:mail`, `tenant:*`: KIND:VALUE.
    std::optional<int> concurrent = {};  ///< Over all nodes. 0 to 10,000.
    std::optional<int> per_node = {};    ///< On one node. 0 to 10,000.
    std::optional<StartRate> rate = {};

    bool operator==(const JobLimit&) const = default;
};

/// A limit that is set. With one of each value (`*`) the counts are those of all values together.
struct StoredLimit : JobLimit {
    std::int64_t running = 0;
    std::int64_t waiting = 0;

    bool operator==(const StoredLimit&) const = default;
};

}  // namespace jobstrand
