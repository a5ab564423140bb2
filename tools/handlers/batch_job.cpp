#include "tools/handlers/batch_job.hpp"

#include "deadletter/batch/batch_admin.hpp"

namespace jobstrand::cli {

schema::Job batch_job(std::int64_t priority) {
    schema::Job job;
    job.handler_type = kBatchType;
    job.priority = priority;
    return job;
}

executor::JobHandler batch_handler(persistence::BatchStore& store, const schema::Clock& clock) {
    return [&store, &clock](const executor::JobContext& context) -> executor::HandlerResult {
        deadletter::BatchAdmin batches(store, clock);
        schema::Duration pause{0};
        const auto goes_on = [&](const deadletter::BulkCounts& /*so_far*/) {
            return pause == schema::Duration{0} && !context.stop.stop_requested();
        };
        const auto batch = batches.carry_out(
            context.job.id, {.on_page = goes_on}, [&](schema::Duration time) { pause = time; }
        );
        if (!batch || batch->state != schema::BatchState::running) {
            return executor::Succeeded{};
        }
        return pause > schema::Duration{0} ? executor::Interrupted{.wait = pause}
                                           : executor::Interrupted{};
    };
}

}  // namespace jobstrand::cli
