#pragma once

#include <cstdint>
#include <string>

namespace jobstrand::persistence {

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
