#include "executor/locks/lock_renewal.hpp"

#include <utility>
#include <vector>

namespace jobstrand::executor {

LockRenewal::LockRenewal(
    Dependencies dependencies,
    std::string lock_owner,
    schema::Duration lock_time
)
    : use_(dependencies), lock_owner_(std::move(lock_owner)), lock_time_(lock_time) {}

schema::Duration LockRenewal::run_once() {
    const schema::SteadyPoint started = use_.clock.steady_now();
    // While the database is away nobody renews: a handler must not run on into another node's lock.
    use_.held.lost(use_.held.expired(started));

    renew(started, started + lock_time_ * 2 / 3);
    return lock_time_ / 3;
}

void LockRenewal::renew(schema::SteadyPoint now, schema::SteadyPoint ending_before) {
    const std::vector<persistence::Fence> fences = use_.held.expiring_before(ending_before);
    if (fences.empty()) {
        return;
    }
    const std::vector<std::string> lost = use_.held.without_taken(use_.store.extend_locks(
        {.owner = lock_owner_, .until = use_.clock.now() + lock_time_}, fences
    ));
    use_.held.lost(lost);
    use_.held.extended(fences, now + lock_time_);
    for (const std::string& id : lost) {
        use_.log.write(
            schema::LogLevel::info, "lock lost: the running job is told to stop", {{"job", id}}
        );
    }
}

}  // namespace jobstrand::executor
