#pragma once

#include "executor/enqueue/job_defaults.hpp"
#include "schema/clock.hpp"
#include "schema/job_failure.hpp"
#include "schema/uuid7.hpp"

#include <jobstrand/enqueuer.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace jobstrand::engine {

/// Enqueues on connections of the app: see Enqueuer. A job with a due date goes to the timers
/// whatever the time is, because this machine's clock may not be the database's.
///
/// Thread safety: safe, for each connection one thread at a time. The clock must outlive it.
class PlainProducer final {
public:
    /// Without `ids` it makes ids of its own.
    PlainProducer(
        const schema::Clock& clock,
        schema::RetryPolicy policy,
        std::shared_ptr<schema::FreshIds> ids = nullptr
    );

    std::vector<std::string> enqueue(const AppConnection& connection, std::vector<NewJob> jobs);

private:
    [[nodiscard]] std::vector<schema::PlacedJob> placed(std::vector<schema::Job> jobs) const;

    const schema::Clock& clock_;
    executor::JobDefaults defaults_;

    std::mutex ids_mutex_;
    schema::Uuid7Source payload_ids_;  ///< Guarded by ids_mutex_.
};

}  // namespace jobstrand::engine
