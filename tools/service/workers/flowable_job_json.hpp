#pragma once

#include "schema/job.hpp"

#include <string>
#include <string_view>

/// External jobs in the JSON of Flowable's external worker REST, which its clients read.
namespace jobstrand::service {

/// Where the caller found this service: `http://host:8080`, for the `url` of jobs.
[[nodiscard]] std::string origin_of(std::string_view host);

[[nodiscard]] std::string flowable_json(const schema::Job& job, std::string_view origin);

/// The same with `variables`: the job's payload (see variables_of), each with Flowable's word for
/// its type. With it a worker gets a job.
[[nodiscard]] std::string
flowable_json_with_variables(const schema::Job& job, std::string_view origin);

}  // namespace jobstrand::service
