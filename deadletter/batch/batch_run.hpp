#pragma once

#include "persistence/batch_store.hpp"
#include "schema/batch/batch.hpp"
#include "schema/clock.hpp"

#include <cstddef>
#include <functional>
#include <optional>

namespace jobstrand::deadletter {

/// Carries a batch out, step by step, at its rate, around jobs that cannot be changed.
class BatchRun final {
public:
    /// The store and the clock must outlive it.
    BatchRun(
        persistence::BatchStore& store,
        const schema::Clock& clock,
        const schema::BatchOrder& order
    );

    /// The next page of `batch`; then waits until its jobs may have been done.
    [[nodiscard]] std::optional<schema::Batch>
    step(const schema::Batch& batch, const std::function<void(schema::Duration)>& wait);

private:
    [[nodiscard]] std::optional<schema::Batch> try_step(const schema::Batch& batch);
    [[nodiscard]] std::optional<schema::Batch> pass_over(const schema::Batch& batch);

    persistence::BatchStore& store_;
    const schema::Clock& clock_;
    const std::size_t full_;  ///< Jobs of a step.
    persistence::BatchStep step_;
};

}  // namespace jobstrand::deadletter
