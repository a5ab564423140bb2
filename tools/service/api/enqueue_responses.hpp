#pragma once

#include "executor/enqueue/new_job.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"

#include <exception>
#include <span>
#include <string>
#include <vector>

/// What enqueueing is answered with.
namespace jobstrand::service {

/// 201 with the job's id, and the key of its series if it begins one. With a unique key also
/// whether it was added, else 200, and which job it replaced; of an engine of a set also its name.
[[nodiscard]] Response
added(const ApiParts& parts, const executor::NewJob& job, const schema::Enqueued& enqueued);

/// 201 with all ids, in the order of the request, and how many were added; 200 if none was. Of a
/// set also the engine of each.
[[nodiscard]] Response added(const ApiParts& parts, const std::vector<schema::Enqueued>& enqueued);

[[nodiscard]] Response bad_job(const std::vector<std::string>& problems);

/// 409 with the id or key that is taken, or what response_to() says.
[[nodiscard]] Response enqueue_failure(
    const ApiParts& parts,
    const std::exception& error,
    std::span<const executor::NewJob> jobs
);

}  // namespace jobstrand::service
