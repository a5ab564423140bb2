#pragma once

#include "schema/job.hpp"
#include "tools/service/management/job_kind.hpp"

#include <string>
#include <string_view>

namespace jobstrand::service {

/// A job as Flowable's management REST writes it. `origin`: see origin_of. There are no paths of
/// instances, definitions and executions here, so their urls are null.
[[nodiscard]] std::string
management_json(const schema::Job& job, const JobKind& kind, std::string_view origin);

}  // namespace jobstrand::service
