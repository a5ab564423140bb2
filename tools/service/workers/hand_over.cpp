#include "tools/service/workers/hand_over.hpp"

#include "persistence/worker_store.hpp"

#include <utility>

namespace jobstrand::service {

Response HandOver::operator()(
    Response response,
    const std::string& worker,
    const std::vector<schema::Job>& jobs
) const {
    if (jobs.empty()) {
        return response;
    }
    std::vector<persistence::HeldJob> held;
    held.reserve(jobs.size());
    for (const schema::Job& job : jobs) {
        held.push_back({.id = job.id, .revision = job.revision});
    }
    response.undelivered = [&api = api_, &pool = pool_, worker, held = std::move(held)] {
        pool.post([&api, worker, held] {
            (void)api.engine.workers().give_back(worker, held);
            api.log.write(
                schema::LogLevel::info,
                "a worker hung up before it got its jobs, which are free again",
                {{"worker", worker}, {"jobs", held.size()}}
            );
        });
    };
    return response;
}

}  // namespace jobstrand::service
