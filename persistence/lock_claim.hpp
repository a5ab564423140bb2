#pragma once

#include "schema/time.hpp"

#include <string_view>

namespace jobstrand::persistence {

/// Who takes jobs, and until when the others must leave them alone.
struct LockClaim {
    std::string_view owner;
    schema::TimePoint until;
};

}  // namespace jobstrand::persistence
