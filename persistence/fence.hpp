#pragma once

#include <string>

namespace jobstrand::persistence {

/// The right to write about a locked job: it holds while the row has this revision and its
/// holder's lock owner (I3).
struct Fence {
    std::string id;
    int revision = 0;
    /// The group that the job excludes while it is held (schema::exclusive_group); empty: none.
    std::string group = {};

    bool operator==(const Fence&) const = default;
};

}  // namespace jobstrand::persistence
