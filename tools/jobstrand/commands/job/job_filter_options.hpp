#pragma once

#include "persistence/job_filter.hpp"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace jobstrand::cli {

/// The filter options that ls, requeue and rm share, as they were typed.
struct JobFilterOptions {
    std::optional<std::string> handler_type;
    std::optional<std::string> instance;
    std::optional<std::string> definition;
    std::optional<std::string> element;
    std::optional<std::string> category;
    std::optional<std::string> tenant;
    std::optional<std::string> correlation_id;
    std::optional<std::string> error;
    std::optional<std::string> created_before;
    std::optional<std::string> created_after;
    std::optional<std::string> due_before;
    std::optional<std::string> due_after;
    bool locked = false;
    bool free = false;
};

/// --type, --instance, ... at a verb.
void add_job_filter_options(CLI::App& verb, JobFilterOptions& options);

/// Throws CliError wrong_usage for values that cannot be meant so, empty ones above all.
[[nodiscard]] persistence::JobFilter filter_of(const JobFilterOptions& options);

}  // namespace jobstrand::cli
