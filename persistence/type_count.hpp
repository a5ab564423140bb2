#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace jobstrand::persistence {

/// The jobs of one handler type in one place.
struct TypeCount {
    std::string handler_type;
    std::int64_t jobs = 0;
    std::int64_t locked = 0;                       ///< 0 where nothing is ever locked.
    std::optional<schema::TimePoint> oldest = {};  ///< When the first of them was created.

    bool operator==(const TypeCount&) const = default;
};

/// The executable jobs of one handler type that one lock owner has; those that wait for an
/// exclusive job are schema::kWaitingOwner's, those for a limit schema::kLimitedOwner's.
struct OwnerCount {
    std::string handler_type;
    std::string lock_owner;
    std::int64_t jobs = 0;

    bool operator==(const OwnerCount&) const = default;
};

/// Pairs of handler type and lock owner that are told at most.
inline constexpr std::size_t kOwnersCounted = 10'000;

/// Handler types that are told apart at most: those with the most jobs.
inline constexpr std::size_t kTypesCounted = 1'000;

}  // namespace jobstrand::persistence
