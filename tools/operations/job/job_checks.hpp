#pragma once

#include "executor/enqueue/new_job.hpp"
#include "schema/job.hpp"
#include "schema/series/series.hpp"
#include "schema/time.hpp"
#include "tools/session/session.hpp"
#include "tools/settings/settings.hpp"

#include <string>
#include <vector>

/// What speaks against enqueueing a job besides what no table can hold (schema::problems_of): one
/// sentence per mistake; empty: nothing.
namespace jobstrand::cli {

/// What is checked against besides the job itself.
struct JobCheckContext {
    const Settings& settings;
    schema::CalendarTexts calendars;
    schema::TimePoint now;
};

/// Opens the database.
[[nodiscard]] JobCheckContext job_check_context(Session& session);

/// What problems_for_service says, and texts of a series that mean nothing.
[[nodiscard]] std::vector<std::string>
problems_of_new(const executor::NewJob& job, const JobCheckContext& context);

/// A command or a target that the configuration does not name. A configuration without commands, or
/// without targets, says nothing of them: it may not be the service's.
[[nodiscard]] std::vector<std::string>
problems_for_service(const schema::Job& job, const Settings& settings);

}  // namespace jobstrand::cli
