#pragma once

#include <cstdint>

namespace jobstrand::executor {

/// What the activities of an executor have done since it began, for whoever watches it.
struct ActivityCounts {
    std::uint64_t claims = 0;        ///< Transactions that looked for free jobs.
    std::uint64_t empty_claims = 0;  ///< Those that found none.
    std::uint64_t claimed = 0;       ///< Jobs that they locked.
    std::uint64_t locks_reset = 0;   ///< Expired locks that the reset freed.
    std::uint64_t dead_nodes = 0;    ///< Nodes of which this one ended the lease.
};

}  // namespace jobstrand::executor
