#pragma once

#include "schema/time.hpp"

#include <string_view>

namespace jobstrand::persistence {

/// Who takes jobs now, and until when the others must leave them alone.
struct LockClaim {
    std::string_view owner;
    schema::TimePoint until;
    schema::TimePoint now = {};  ///< For rates; needed by whoever claims jobs to run them.
};

}  // namespace jobstrand::persistence
