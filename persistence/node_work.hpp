#pragma once

#include "schema/time.hpp"

#include <chrono>
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
    std::int64_t failed = 0;  ///< Of them.
    /// In which time: a minute, or less where nobody has counted for so long. Of several nodes
    /// together it is the one that gives the sum of their rates.
    schema::Duration span = std::chrono::minutes(1);

    bool operator==(const TypeRuns&) const = default;
};

/// What a node does, beside its load.
struct NodeWork {
    /// At most so many of each list: the longest runs, the most frequent types.
    static constexpr std::size_t kMost = 100;

    std::vector<LongRun> runs = {};          ///< Those that are longer than a moment, by id.
    std::vector<TypeRuns> last_minute = {};  ///< By handler type.
    std::string standstill = {};             ///< Why it does not get on; empty: it does.

    bool operator==(const NodeWork&) const = default;
};

/// An external worker that asks for jobs of a type.
struct AskedTopic {
    static constexpr std::size_t kMost = 500;                            ///< That a node tells of.
    static constexpr schema::Duration kLasts = std::chrono::minutes(5);  ///< Then it is forgotten.

    std::string topic;
    std::string worker;
    schema::TimePoint last;

    bool operator==(const AskedTopic&) const = default;
};

}  // namespace jobstrand::persistence
