#include "persistence/shared/moved_by_engine.hpp"

namespace jobstrand::persistence {

namespace {

using schema::Job;

/// Of a row that is new, and that a claim may have raised.
constexpr int kHighestRevision = 2;

// A timer of ours comes here by a move, which raises its revision.
bool was_moved_by_engine(const Job& job) {
    return job.scope_type == schema::kOurScope && job.revision <= kHighestRevision &&
           job.due_date && job.create_time && *job.due_date > *job.create_time;
}

}  // namespace

void tell_moved_by_engine(schema::Log& log, std::span<const Job> jobs) {
    for (const Job& job : jobs) {
        if (was_moved_by_engine(job)) {
            log.write(
                schema::LogLevel::warn,
                "Flowable's management has moved this timer before it was due: priority, retry "
                "cycle, unique key, root instance, trace and attempts are lost, if it had any; "
                "`jobstrand timer fire` keeps them",
                {{"job", job.id}, {"handler_type", job.handler_type}}
            );
        }
    }
}

}  // namespace jobstrand::persistence
