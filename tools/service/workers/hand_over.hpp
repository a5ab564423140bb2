#pragma once

#include "schema/job.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/work_pool.hpp"

#include <string>
#include <vector>

namespace jobstrand::service {

/// Responses that hand jobs to a worker. What one holds that never reaches its worker, because it
/// has hung up, goes back at once: it would wait for the end of its lock, and a worker that was
/// killed while it waited for jobs would get one more. Where the service ends before that, or the
/// database is away, the lock's end remains.
///
/// Thread safety: safe. Everything passed in must outlive it.
class HandOver final {
public:
    HandOver(const ApiParts& api, WorkPool& pool) : api_(api), pool_(pool) {}

    /// The response, which tells the worker of these jobs.
    [[nodiscard]] Response operator()(
        Response response,
        const std::string& worker,
        const std::vector<schema::Job>& jobs
    ) const;

private:
    const ApiParts& api_;
    WorkPool& pool_;
};

}  // namespace jobstrand::service
