#pragma once

#include "persistence/batch_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

/// See BatchStore.
namespace jobstrand::persistence {

[[nodiscard]] bool can_keep_filter(const JobFilter& filter);

[[nodiscard]] schema::Batch
create_batch(const StoreContext& context, const NewBatch& new_batch, schema::TimePoint now);

[[nodiscard]] std::optional<schema::Batch>
find_batch(const StoreContext& context, std::string_view id);

[[nodiscard]] std::vector<schema::Batch>
list_batches(const StoreContext& context, std::string_view behind, std::size_t limit);

[[nodiscard]] std::optional<schema::Batch> step_batch(
    const StoreContext& context,
    std::string_view id,
    const BatchStep& step,
    schema::TimePoint now
);

[[nodiscard]] std::optional<schema::Batch> set_batch_state(
    const StoreContext& context,
    std::string_view id,
    schema::BatchState state,
    schema::TimePoint now
);

[[nodiscard]] bool remove_batch(const StoreContext& context, std::string_view id);

}  // namespace jobstrand::persistence
