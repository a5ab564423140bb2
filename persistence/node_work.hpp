#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// A job that a node runs. The revision tells this run from an earlier one of the same job.
struct LongRun {
    std::string id;
    std::int64_t revision = 0;
    schema::TimePoint since;

    bool operator==(const LongRun&) const = default;
};

/// How many runs of a handler type have ended, whatever they came to.
struct TypeRuns {
    std::string handler_type;
    std::int64_t runs = 0;

    bool operator==(const TypeRuns&) const = default;
};

/// What a node does, beside its load.
struct NodeWork {
    /// At most so many of each list: the longest runs, the most frequent types.
    static constexpr std::size_t kMost = 100;

    std::vector<LongRun> runs = {};          ///< Those that are longer than a moment, by id.
    std::vector<TypeRuns> last_minute = {};  ///< By handler type.

    bool operator==(const NodeWork&) const = default;
};

}  // namespace jobstrand::persistence
