#pragma once

#include <span>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// Which jobs a node takes (I7): of these handler types, and needing nothing that it lacks, as far
/// as that has been read (see schema::Job::needs). Borrows the texts.
struct ServedJobs {
    ServedJobs() = default;
    ServedJobs(std::span<const std::string> the_types, std::span<const std::string> has = {})
        : types(the_types), needs(has) {}
    ServedJobs(const std::vector<std::string>& the_types, const std::vector<std::string>& has = {})
        : types(the_types), needs(has) {}

    std::span<const std::string> types;
    std::span<const std::string> needs;  ///< What is here of all that jobs may need.
};

}  // namespace jobstrand::persistence
