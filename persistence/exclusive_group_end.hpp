#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// A group of exclusive jobs of which its holder holds none any more.
struct GroupEnd {
    std::string group;  ///< See schema::exclusive_group.

    /// Jobs of it that the holder knows that it has claimed, since it holds the group. When the
    /// database knows of more, a claim is under way whose jobs have not arrived yet.
    std::int64_t claimed = 0;

    /// The earliest lock expiry that one of them was claimed with. It tells this time of holding
    /// the group from a later one, so that an end that is told late ends nothing else.
    schema::TimePoint began = {};

    bool operator==(const GroupEnd&) const = default;
};

/// What became of groups that ended.
struct GroupsPassedOn {
    /// The jobs that waited and are now locked for the holder, which keeps their groups.
    std::vector<schema::Job> jobs;

    /// Groups of which more are under way: their end is told again when those have ended.
    std::vector<GroupEnd> busy;

    /// Groups that there was no time to look at: to be told again at once.
    std::vector<GroupEnd> rest;
};

}  // namespace jobstrand::persistence
