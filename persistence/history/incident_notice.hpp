#pragma once

#include "persistence/incident.hpp"
#include "schema/job.hpp"

#include <span>
#include <string_view>

namespace jobstrand::persistence {

/// The category of the jobs that tell of incidents. Their own deaths open incidents too, of which
/// nobody is told.
inline constexpr std::string_view kNoticeCategory = "jobstrand-incidents";

/// Incidents that one notice tells in full; of more it gives the number.
inline constexpr std::size_t kIncidentsOfNotice = 100;

/// The `http` job that tells an app of new incidents, without an id. Its payload:
///
///     {"target": "ops", "event": "incidents", "count": 1, "incidents": [
///         {"id": "...", "jobId": "...", "time": "...", "cause": "retries_exhausted",
///          "handlerType": "mail", "message": "..."}]}
[[nodiscard]] schema::Job notice_of(std::span<const Incident> incidents, std::string_view target);

}  // namespace jobstrand::persistence
