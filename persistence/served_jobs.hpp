#pragma once

#include "schema/job.hpp"
#include "schema/served_scope.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

/// What a node fetches by itself of the jobs that it serves.
struct Fetching {
    bool jobs = true;    ///< false: it runs only what its own process hands to it.
    bool timers = true;  ///< false: it makes no due timer executable.

    bool operator==(const Fetching&) const = default;
};

/// Which jobs a node takes (I7): of these handler types, needing nothing that it lacks, as far as
/// that has been read (see schema::Job::needs), and within its scope.
struct ServedJobs {
    ServedJobs() = default;
    ServedJobs(
        std::vector<std::string> the_types,
        std::vector<std::string> has = {},
        schema::ServedScope within = {}
    )
        : types(std::move(the_types)), needs(std::move(has)), scope(std::move(within)) {}

    std::vector<std::string> types;  ///< In alphabetical order.
    /// Those among them whose jobs are never claimed by the page; likewise.
    std::vector<std::string> types_by_row = {};
    std::vector<std::string> needs;  ///< What is here of all that jobs may need; likewise.
    schema::ServedScope scope;
    Fetching fetching = {};

    [[nodiscard]] bool contains(const schema::Job& job) const {
        return std::ranges::binary_search(types, job.handler_type) &&
               (job.needs.empty() || std::ranges::binary_search(needs, job.needs)) &&
               scope.contains(job);
    }

    bool operator==(const ServedJobs&) const = default;
};

}  // namespace jobstrand::persistence
