#pragma once

#include "executor/enqueue/bulk_enqueue.hpp"
#include "executor/enqueue/new_job.hpp"
#include "schema/job.hpp"
#include "schema/series.hpp"
#include "schema/time.hpp"
#include "tools/session/session.hpp"
#include "tools/settings/settings.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

// What speaks against enqueueing a job besides what no table can hold (schema::problems_of): one
// sentence per mistake; empty: nothing.

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

/// Enqueues a job; one that repeats begins its series. Throws DbError duplicate_key when its id or
/// the key of its series is taken, and KeyHeld when its unique key is.
schema::Enqueued enqueue(Session& session, const executor::NewJob& job);

/// After a duplicate key: `there is a job 17 already`, or the series; empty: neither is there.
[[nodiscard]] std::string what_is_taken(Session& session, const executor::NewJob& job);

[[nodiscard]] std::string in_words(const executor::TakenName& taken);

}  // namespace jobstrand::cli
