#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/work_pool.hpp"

#include <string>

namespace jobstrand::service {

/// A handler that changes things, with an entry in the audit: there before it begins, and told how
/// it ended. `action` is what the command line calls it: `dead requeue`. Why, the caller may say in
/// the header `Jobstrand-Reason`. `api` must outlive it.
[[nodiscard]] WorkPool::BlockingHandler
audited(const ApiParts& api, std::string action, WorkPool::BlockingHandler handler);

}  // namespace jobstrand::service
