#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <string_view>

namespace jobstrand::persistence {

/// Who takes jobs now, and until when the others must leave them alone.
struct LockClaim {
    std::string_view owner;
    schema::TimePoint until;
    schema::TimePoint now = {};  ///< For rates; needed by whoever claims jobs to run them.

    /// How many plain jobs a page must have for one claim together instead of a lock each; 0:
    /// never. Plain are those that regard no other job and begin their first start.
    std::size_t pages_from = 0;
};

}  // namespace jobstrand::persistence
