#pragma once

#include "executor/loop/wake_ups.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <cstdint>
#include <string>

namespace jobstrand::executor {

/// Finds nodes that do not renew their leases any more, and frees their jobs (I2).
///
/// Thread safety: one call at a time. Everything passed in must outlive it.
class DeadNodes final {
public:
    struct Dependencies {
        persistence::NodeStore& nodes;
        persistence::ExecutorStore& jobs;
        const schema::Clock& clock;
        const WakeUps& wake_ups;
        schema::Log& log;
    };

    explicit DeadNodes(Dependencies dependencies) : use_(dependencies) {}

    /// Ends the leases that are over now. Throws DbError: what it did not free then is freed when
    /// its locks expire.
    void bury();

private:
    [[nodiscard]] std::int64_t free_jobs_of(const std::string& node);

    const Dependencies use_;
};

}  // namespace jobstrand::executor
