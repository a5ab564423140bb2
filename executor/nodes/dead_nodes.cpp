#include "executor/nodes/dead_nodes.hpp"

#include "schema/job_place.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace jobstrand::executor {

using schema::JobPlace;

void DeadNodes::look(schema::TimePoint as_of) {
    {
        const std::lock_guard lock(mutex_);
        asked_ = as_of;
    }
    use_.wake_ups.nodes_may_be_dead();
}

schema::Duration DeadNodes::run_once() {
    std::optional<schema::TimePoint> as_of;
    {
        const std::lock_guard lock(mutex_);
        as_of = std::exchange(asked_, {});
    }
    if (as_of) {
        end_leases(*as_of);
    }
    return kUntilWoken;
}

void DeadNodes::end_leases(schema::TimePoint as_of) {
    const std::vector<std::string> dead = use_.nodes.end_expired_leases({as_of, node_, patience_});
    if (dead.empty()) {
        return;
    }
    found_ += dead.size();
    const std::int64_t freed = free_jobs_of(dead);
    use_.log.write(
        schema::LogLevel::warn,
        dead.size() == 1 ? "a node has not renewed its lease; its jobs are free"
                         : "nodes have not renewed their leases; their jobs are free",
        {{dead.size() == 1 ? "node" : "nodes", fmt::format("{}", fmt::join(dead, ", "))},
         {"jobs", freed}}
    );
    use_.wake_ups.jobs_are_there();
}

std::int64_t DeadNodes::free_jobs_of(std::span<const std::string> nodes) {
    std::int64_t freed = 0;
    for (const JobPlace place : {JobPlace::executable, JobPlace::timer}) {
        const auto reset =
            use_.jobs.reset_expired_locks(place, {.now = use_.clock.now(), .owners = nodes});
        freed += reset.freed;
    }
    // Also frees what waited for them.
    return freed + use_.jobs.reset_expired_groups(use_.clock.now());
}

}  // namespace jobstrand::executor
