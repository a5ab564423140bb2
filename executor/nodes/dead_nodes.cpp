#include "executor/nodes/dead_nodes.hpp"

#include "schema/job_place.hpp"

#include <utility>

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
    for (const std::string& node : use_.nodes.end_expired_leases({as_of, node_, patience_})) {
        ++found_;
        const std::int64_t freed = free_jobs_of(node);
        use_.log.write(
            schema::LogLevel::warn,
            "a node has not renewed its lease; its jobs are free",
            {{"node", node}, {"jobs", freed}}
        );
        use_.wake_ups.jobs_are_there();
    }
}

std::int64_t DeadNodes::free_jobs_of(const std::string& node) {
    std::int64_t freed = 0;
    for (const JobPlace place : {JobPlace::executable, JobPlace::timer}) {
        const auto reset =
            use_.jobs.reset_expired_locks(place, {.now = use_.clock.now(), .owner = node});
        freed += reset.freed;
    }
    // Also frees what waited for it.
    return freed + use_.jobs.reset_expired_groups(use_.clock.now());
}

}  // namespace jobstrand::executor
