#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/job.hpp"

#include <span>
#include <string>

/// The rows of jobs that a node takes, in SQL. Each text borrows from what is served.
namespace jobstrand::persistence {

/// Rows that are served. Precondition: some handler type is.
[[nodiscard]] BoundStatement condition_of(const ServedJobs& served, const Dialect& dialect);

/// Rows of timers that are not, or that are for external workers. What they need has not been read
/// yet, so it does not count. Precondition: some handler type is served.
[[nodiscard]] BoundStatement condition_of_others(const ServedJobs& served, const Dialect& dialect);

/// Rows that a node may touch where an engine has jobs of its own: ours, and those of handler types
/// that it serves. It begins with AND; empty where the tables are not shared.
[[nodiscard]] BoundStatement and_ours_or_served(const ServedJobs& served, const Dialect& dialect);

/// Gives jobs that a statement found for these handler types the type as it is spelt there. To
/// MySQL and MariaDB, names that differ by blanks at their ends are the same, and in tables of
/// Flowable those that differ by capitals too; but a handler is found by its own name only, and a
/// job without one would be given back and acquired for ever.
void use_served_names(std::span<schema::Job> jobs, std::span<const std::string> handler_types);

}  // namespace jobstrand::persistence
