#pragma once

#include "deadletter/job_search.hpp"
#include "persistence/suspension.hpp"
#include "schema/job.hpp"
#include "tools/output/record.hpp"
#include "tools/parameters/parameter.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// `instance order-17 is suspended since 2026-11-20T10:15:30.123Z (instance activate)`: what holds
/// a job and the verb that lets it go on.
[[nodiscard]] std::string in_words(const persistence::Suspension& suspension);

/// `jobstrand instance activate order-17`.
[[nodiscard]] std::string end_of(const persistence::Suspension& suspension);

/// `job show`: one job with all its fields, the details of its last failure, and what it is doing
/// or why it does nothing. Of a job that is gone, its last run if that is known, which stderr says.
[[nodiscard]] ExitCode show_job(Session& session, const NamedThing& job);

/// `dead show`: the same of a dead letter. A job elsewhere is not found.
[[nodiscard]] ExitCode show_dead_letter(Session& session, const NamedThing& job);

/// The job that was typed (job_id()), or CliError not_found. A job that stands in another place
/// than the one asked for is not found either; the message says where it is.
[[nodiscard]] deadletter::JobDetails
find_job(Session& session, const std::string& typed, std::optional<schema::JobPlace> place = {});

}  // namespace jobstrand::cli
