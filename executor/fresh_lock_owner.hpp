#pragma once

#include "persistence/node_store.hpp"

#include <string>

namespace jobstrand::executor {

/// A name for LOCK_OWNER_ that tells this host and process (schema/lock_owner.hpp), and that no
/// executor has had before.
[[nodiscard]] std::string fresh_lock_owner();

/// Returns who an executor of this process with this lock owner is, and how it locks.
[[nodiscard]] persistence::NodeIdentity identity_of(
    const std::string& lock_owner,
    schema::LockGranularity locks = schema::LockGranularity::row
);

}  // namespace jobstrand::executor
