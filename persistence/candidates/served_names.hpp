#pragma once

#include "schema/job.hpp"

#include <span>
#include <string>

namespace jobstrand::persistence {

/// Gives jobs that a statement found for these handler types the type as it is spelt there. To
/// MySQL and MariaDB, names that differ by blanks at their ends are the same, and in tables of
/// Flowable those that differ by capitals too; but a handler is found by its own name only, and a
/// job without one would be given back and acquired for ever.
void use_served_names(std::span<schema::Job> jobs, std::span<const std::string> handler_types);

}  // namespace jobstrand::persistence
