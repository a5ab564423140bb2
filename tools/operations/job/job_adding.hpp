#pragma once

#include "tools/parameters/field_options.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/series_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

/// The fields of one job, as they were typed, or a file of many.
struct AddOptions {
    TypedFields fields = fields_with(&schema::JobField::add);
    DueOptions due;  ///< `--due` and `--due-in`: the due date is not among the fields.
    bool external = false;
    std::optional<std::string> on_duplicate;
    std::optional<std::string> unique_for;
    SeriesOptions series;

    std::optional<std::string> from;
    bool keep_going = false;
};

/// `job add`: enqueues one job and prints its id, or those of a file (see import_jobs).
[[nodiscard]] ExitCode add_jobs(Session& session, const AddOptions& options);

}  // namespace jobstrand::cli
