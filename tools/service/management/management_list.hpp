#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/management/job_kind.hpp"

namespace jobstrand::service {

/// `GET management/{kind}`: a part of the jobs, and how many there are in all.
[[nodiscard]] Response
list_jobs_of(const ApiParts& api, const JobKind& kind, const Request& request);

/// `GET management/history-jobs`: there are none here, ever.
[[nodiscard]] Response list_no_jobs(const ApiParts& api, const Request& request);

}  // namespace jobstrand::service
