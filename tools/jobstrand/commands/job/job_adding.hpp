#pragma once

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/series/series_options.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

/// The fields of one job, as they were typed, or a file of many.
struct AddOptions {
    std::optional<std::string> handler_type;
    std::optional<std::string> payload;
    DueOptions due;
    std::optional<std::string> retries;
    std::optional<std::string> retry_cycle;
    std::optional<std::string> priority;
    std::optional<std::string> instance;
    std::optional<std::string> root_instance;
    std::optional<std::string> definition;
    std::optional<std::string> execution;
    std::optional<std::string> element;
    std::optional<std::string> element_name;
    std::optional<std::string> category;
    std::optional<std::string> tenant;
    std::optional<std::string> correlation_id;
    std::optional<std::string> id;
    bool not_exclusive = false;
    bool external = false;
    SeriesOptions series;

    std::optional<std::string> from;
    bool keep_going = false;
};

/// `job add`: enqueues one job and prints its id, or those of a file (see import_jobs).
[[nodiscard]] ExitCode add_jobs(Session& session, const AddOptions& options);

}  // namespace jobstrand::cli
