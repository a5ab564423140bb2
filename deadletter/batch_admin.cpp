#include "deadletter/batch_admin.hpp"

#include "deadletter/failure_cause.hpp"
#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace jobstrand::deadletter {

using persistence::BatchStore;
using persistence::DbError;
using persistence::DbErrorKind;
using schema::Batch;
using schema::BatchOrder;
using schema::BatchState;

namespace {

/// Jobs of a step that move inside the database. What each commit costs is then a small part, and
/// others wait for its locks for a tenth of a second. The store makes shorter steps where it has to
/// look at each job.
constexpr std::size_t kFullStep = 5'000;

/// A step that fails is made so much smaller, until one job is left.
constexpr std::size_t kSmaller = 10;

[[nodiscard]] std::size_t full_step_of(const BatchOrder& order) {
    return order.per_second > 0 ? std::min(kFullStep, static_cast<std::size_t>(order.per_second))
                                : kFullStep;
}

[[nodiscard]] std::function<bool(const persistence::DeadLetterFailure&)> is_of(
    const std::string& cause
) {
    return [cause](const persistence::DeadLetterFailure& failure) {
        return id_of(cause_of(failure.handler_type, failure.message)) == cause;
    };
}

}  // namespace

BatchRun::BatchRun(BatchStore& store, const schema::Clock& clock, const BatchOrder& order)
    : store_(store),
      clock_(clock),
      full_(full_step_of(order)),
      step_{.jobs = full_, .is_meant = is_of(order.cause)} {}

std::optional<Batch>
BatchRun::step(const Batch& batch, const std::function<void(schema::Duration)>& wait) {
    const schema::SteadyPoint start = clock_.steady_now();
    auto after = try_step(batch);
    const std::int64_t per_second = batch.order.per_second;
    if (after && after->state == schema::BatchState::running && per_second > 0 && wait) {
        const auto ready = start + time_for(handled(*after) - handled(batch), per_second);
        const auto left = std::chrono::duration_cast<schema::Duration>(ready - clock_.steady_now());
        if (left > schema::Duration{0}) {
            wait(left);
        }
    }
    return after;
}

std::optional<Batch> BatchRun::try_step(const Batch& batch) {
    // Defended catch: one job whose id is taken must not keep the others from where they go.
    while (true) {
        try {
            auto after = store_.step_batch(batch.id, step_, clock_.now());
            step_.jobs = std::min(full_, step_.jobs * kSmaller);
            step_.looks_at_all = step_.jobs < full_;
            return after;
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::duplicate_key) {
                throw;
            }
        }
        if (step_.jobs == 1) {
            return pass_over(batch);
        }
        step_.jobs = std::max<std::size_t>(step_.jobs / kSmaller, 1);
        step_.looks_at_all = true;
    }
}

std::optional<Batch> BatchRun::pass_over(const Batch& batch) {
    persistence::BatchStep over = step_;
    over.passes_over = true;
    return store_.step_batch(batch.id, over, clock_.now());
}

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
