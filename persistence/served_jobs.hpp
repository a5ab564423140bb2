#pragma once

#include "schema/acquisition_order.hpp"

#include <span>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// Which jobs a node takes (I7): of these handler types, needing nothing that it lacks, as far as
/// that has been read (see schema::Job::needs), and of these priorities (R053). Borrows the texts.
struct ServedJobs {
    ServedJobs() = default;
    ServedJobs(std::span<const std::string> the_types, std::span<const std::string> has = {})
        : types(the_types), needs(has) {}
    ServedJobs(const std::vector<std::string>& the_types, const std::vector<std::string>& has = {})
        : types(the_types), needs(has) {}

    std::span<const std::string> types;
    std::span<const std::string> needs;  ///< What is here of all that jobs may need.
    schema::PriorityRange priorities = {};
};

}  // namespace jobstrand::persistence
