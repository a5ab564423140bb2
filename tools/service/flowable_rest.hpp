#pragma once

#include "persistence/operator_store.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"
#include "tools/service/http/message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What Flowable's REST says and asks, of external workers and of operators.
namespace jobstrand::service {

/// Where the caller found this service: `http://host:8080`, for the `url` of jobs.
[[nodiscard]] std::string origin_of(const Request& request);

/// An external job in the JSON of Flowable's external worker REST, which its clients read.
[[nodiscard]] std::string flowable_json(const schema::Job& job, std::string_view origin);

/// The same with `variables`: the job's payload (see variables_of), each with Flowable's word for
/// its type. With it a worker gets a job.
[[nodiscard]] std::string
flowable_json_with_variables(const schema::Job& job, std::string_view origin);

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

/// What stands behind the question mark of a list.
struct ListQuery {
    persistence::JobFilter filter = {};
    std::string_view sort = "id";
    persistence::SortedPart part = {.limit = 10};
};

/// Throws std::invalid_argument, one sentence, also for what Flowable knows and this does not, and
/// for what neither knows: a filter that is left out would show other jobs than were asked for.
[[nodiscard]] ListQuery
management_query_of(const Request& request, const JobKind& kind, schema::TimePoint now);

/// The part of a list that was asked for, and how many jobs there are in all.
[[nodiscard]] Response
list_response(const ListQuery& query, const std::vector<std::string>& jobs, std::int64_t total);

/// The text of a job by which the lists of both kinds of paths are filtered under this name;
/// nullptr: there is none.
[[nodiscard]] std::string schema::Job::*filtered_text(std::string_view name);

/// The number `name` of a list's query. Throws std::invalid_argument for what is no whole number, 0
/// to `most`.
[[nodiscard]] std::size_t number_in(std::string_view name, std::string_view text, std::size_t most);

}  // namespace jobstrand::service
