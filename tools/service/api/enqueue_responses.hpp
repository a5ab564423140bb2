#pragma once

#include "executor/new_job.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"

#include <exception>
#include <span>
#include <string>
#include <vector>

/// What enqueueing is answered with.
namespace jobstrand::service {

/// 201 with the job's id, and the key of its series if it begins one.
[[nodiscard]] Response added(const executor::NewJob& job, const std::string& id);

/// 201 with all ids, in the order of the request.
[[nodiscard]] Response added(const std::vector<std::string>& ids);

[[nodiscard]] Response bad_job(const std::vector<std::string>& problems);

/// 409 with the id or key that is taken, or what response_to() says.
[[nodiscard]] Response enqueue_failure(
    const ApiParts& parts,
    const std::exception& error,
    std::span<const executor::NewJob> jobs
);

}  // namespace jobstrand::service
