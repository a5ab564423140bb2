#pragma once

#include "persistence/operator_store.hpp"
#include "schema/batch/batch.hpp"
#include "schema/job_place.hpp"

#include <optional>

namespace jobstrand::cli {

/// The same changes as a batch; nullopt: a batch can set retries, the priority and the due date
/// only, and dead letters get their retries when they are requeued.
[[nodiscard]] std::optional<schema::BatchOrder>
order_of(schema::JobPlace place, const persistence::ManyChanges& changes);

}  // namespace jobstrand::cli
