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

/// Handler types that are told apart at most: those with the most jobs.
inline constexpr std::size_t kTypesCounted = 1'000;

}  // namespace jobstrand::persistence
