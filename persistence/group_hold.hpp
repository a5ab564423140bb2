#pragma once

#include "schema/time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// A job of a group that its holder has locked.
struct HeldSibling {
    std::string id = {};
    std::optional<schema::TimePoint> since = {};  ///< It runs, as its node has told.

    bool operator==(const HeldSibling&) const = default;
};

/// Who has the exclusive jobs of an instance, or of a hierarchy.
struct GroupHold {
    std::string group = {};       ///< The instance, or the root of the hierarchy.
    std::string lock_owner = {};  ///< Empty: nobody any more.
    std::optional<schema::TimePoint> until = {};

    /// Others than the job that was asked about; those that are known to run first. A few, where
    /// they were found.
    std::vector<HeldSibling> siblings = {};

    bool operator==(const GroupHold&) const = default;
};

}  // namespace jobstrand::persistence
