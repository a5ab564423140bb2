#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
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

/// The right to write about a locked job: it holds while the row has this revision and its
/// holder's lock owner (I3). The row of a job that a claim names may have no lock owner: whoever
/// takes it away raises its revision.
struct Fence {
    std::string id;
    int revision = 0;
    /// The group that the job excludes while it is held (schema::exclusive_group); empty: none.
    std::string group = {};
    /// See schema::Job.
    std::int64_t claim = 0;

    bool operator==(const Fence&) const = default;
};

}  // namespace jobstrand::persistence
