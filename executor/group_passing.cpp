#include "executor/group_passing.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace jobstrand::executor {

schema::Duration GroupPassing::run_once() {
    const persistence::PageLimit room = use_.intake.room_for_groups();
    const bool is_full = room.jobs == 0 || room.bytes == 0;
    const std::size_t most = schema::limits::kJobsPerTransaction;
    const auto ended = use_.order.take_ended(is_full ? most : std::min(room.jobs, most));
    if (ended.empty()) {
        return kUntilWoken;
    }
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    const persistence::LockClaim claim = claim_for(use_.intake, use_.clock);
    const auto served =
        is_full ? std::make_shared<const persistence::ServedJobs>() : use_.intake.served();
    persistence::GroupsPassedOn passed;
    try {
        passed = run_claim(use_.intake, claim.until, locked_at, [&] {
            return use_.store.pass_on(claim, *served, page_bytes_, ended);
        });
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
