#pragma once

#include "schema/lock_owner.hpp"

#include <string>

namespace jobstrand::executor {

/// Where this process runs.
[[nodiscard]] schema::NodeAddress own_address();

/// A name for LOCK_OWNER_ that tells this host and process (schema/lock_owner.hpp), and that no
/// executor has had before.
[[nodiscard]] std::string fresh_lock_owner();

}  // namespace jobstrand::executor
