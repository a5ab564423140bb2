#pragma once

#include "persistence/named_lock_store.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace jobstrand::cli {

/// How a lock was asked for.
struct LockTry {
    std::optional<std::int64_t> token = {};  ///< nullopt: another holds it.
    std::string why_not = {};
};

/// Who keeps named locks for a program of this machine: the database, or a service that is asked.
/// Each throws when there is no answer. They are called from one thread at a time.
struct LockCalls {
    std::function<LockTry(const persistence::NamedLockClaim& claim)> acquire;

    /// false: it is not its owner's any more.
    std::function<bool(const persistence::NamedLockClaim& claim)> renew;

    /// false: it was not.
    std::function<bool(const persistence::NamedLockClaim& claim)> release;
};

}  // namespace jobstrand::cli
