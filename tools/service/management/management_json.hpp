#pragma once

#include "schema/job.hpp"
#include "schema/job_place.hpp"

#include <array>
#include <string>
#include <string_view>

namespace jobstrand::service {

/// The jobs of a place, as Flowable's management REST names them.
struct JobKind {
    std::string_view path;  ///< `management/{path}`.
    schema::JobPlace place;
};

inline constexpr std::array<JobKind, 4> kJobKinds{{
    {"jobs", schema::JobPlace::executable},
    {"timer-jobs", schema::JobPlace::timer},
    {"suspended-jobs", schema::JobPlace::suspended},
    {"deadletter-jobs", schema::JobPlace::dead_letter},
}};

inline constexpr std::string_view kManagement = "/process-api/management";

/// A job as Flowable's management REST writes it. `origin`: see origin_of. There are no paths of
/// instances, definitions and executions here, so their urls are null.
[[nodiscard]] std::string
management_json(const schema::Job& job, const JobKind& kind, std::string_view origin);

}  // namespace jobstrand::service
