#include "executor/group_passing.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"

#include <memory>
#include <utility>

namespace jobstrand::executor {

schema::Duration GroupPassing::run_once() {
    const auto ended = use_.order.take_ended(schema::limits::kJobsPerTransaction);
    if (ended.empty()) {
        return kUntilWoken;
    }
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    const persistence::LockClaim claim{
        .owner = use_.intake.lock_owner(),
        .until = use_.clock.now() + use_.intake.lock_time(),
        .now = use_.clock.now(),
    };
    const auto served =
        is_closed_ ? std::make_shared<const persistence::ServedJobs>() : use_.intake.served();
    persistence::GroupsPassedOn passed;
    try {
        passed = use_.store.pass_on(claim, *served, page_bytes_, ended);
    } catch (const persistence::DbError&) {
        use_.order.end_again(ended);
        throw;
    }
    use_.order.put_back(passed.busy);
    use_.order.end_again(passed.rest);
    if (!passed.jobs.empty()) {
        use_.intake.accept(std::move(passed.jobs), locked_at);
    }
    return use_.order.has_ended_groups() ? schema::Duration{0} : kUntilWoken;
}

}  // namespace jobstrand::executor
