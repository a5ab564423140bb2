#pragma once

#include "schema/job.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct ShowOptions {
    std::string id;
    std::optional<schema::JobPlace> place;  ///< Set: a job elsewhere is not found.
};

/// `show`: one job with all its fields, the details of its last failure, and what it is doing or
/// why it does nothing (job_state.hpp). Of a job that is gone, its last run if that is known, which
/// stderr says.
[[nodiscard]] ExitCode show_job(Session& session, const ShowOptions& options);

/// The job that was typed (job_id()), or CliError not_found. A job that stands in another place
/// than the one asked for is not found either; the message says where it is.
[[nodiscard]] deadletter::JobDetails
find_job(Session& session, const std::string& typed, std::optional<schema::JobPlace> place = {});

}  // namespace jobstrand::cli
