#include "deadletter/batch/batch_admin.hpp"

#include "deadletter/batch/batch_run.hpp"

#include <utility>

namespace jobstrand::deadletter {

using schema::Batch;
using schema::BatchState;

BulkCounts counts_of(const Batch& batch) {
    return {
        .total = batch.total,
        .done = batch.done,
        .skipped = batch.skipped,
        .refused = batch.refused,
    };
}

Batch BatchAdmin::begin(const persistence::NewBatch& batch) {
    return store_.create_batch(batch, clock_.now());
}

std::optional<Batch>
BatchAdmin::carry_out(std::string_view id, const BulkWatch& watch, const Wait& wait) {
    auto batch = store_.find_batch(id);
    if (!batch) {
        return std::nullopt;
    }
    BatchRun run(store_, clock_, batch->order);
    while (batch && batch->state == BatchState::running) {
        batch = run.step(*batch, wait);
        if (batch && watch.on_page && !watch.on_page(counts_of(*batch))) {
            break;
        }
    }
    return batch;
}

schema::Page<Batch> BatchAdmin::list(std::string_view behind, std::size_t limit) {
    return schema::first_page(limit, [&](std::size_t most) {
        return store_.batches(behind, most);
    });
}

std::optional<Batch> BatchAdmin::pause(std::string_view id) {
    return store_.set_batch_state(id, BatchState::paused, clock_.now());
}

std::optional<Batch> BatchAdmin::cancel(std::string_view id) {
    return store_.set_batch_state(id, BatchState::cancelled, clock_.now());
}

std::optional<Batch> BatchAdmin::resume(std::string_view id) {
    return store_.set_batch_state(id, BatchState::running, clock_.now());
}

}  // namespace jobstrand::deadletter
