#include "executor/outcome_receiver.hpp"

#include "executor/handler_result.hpp"

#include <memory>
#include <span>
#include <utility>

namespace jobstrand::executor {

ToldAnswer OutcomeReceiver::tell(
    std::string_view id,
    std::int64_t fencing_token,
    const HandlerResult& result
) {
    auto found = use_.jobs.find(id);
    if (!found) {
        return ToldAnswer::not_found;
    }
    if (found->place != schema::JobPlace::executable || found->job.lock_owner.empty()) {
        return ToldAnswer::not_running;
    }
    if (found->job.revision != fencing_token) {
        return ToldAnswer::stale_token;
    }
    const auto job = std::make_shared<const schema::Job>(std::move(found->job));
    const persistence::Outcome outcome{
        .job = job,
        .transition = transition_after(*job, storable(result), policy_, use_.clock.now())};
    // The row may have changed since it was read.
    const auto answer = use_.store.apply(job->lock_owner, std::span(&outcome, 1)).front();
    if (answer != persistence::OutcomeAnswer::done) {
        return ToldAnswer::stale_token;
    }
    use_.tell(outcome);
    return ToldAnswer::taken;
}

}  // namespace jobstrand::executor
