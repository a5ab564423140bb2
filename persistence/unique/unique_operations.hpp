#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/job.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What is done with unique keys; see EnqueuerStore, OperatorStore and ExecutorStore for what is
/// promised.
namespace jobstrand::persistence {

[[nodiscard]] std::vector<schema::Enqueued> take_keys(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const KeyWish> wishes,
    schema::TimePoint now
);

/// Gives dead letters that are about to be requeued their keys back, which they hold while they are
/// open, or for what is left of their period. Returns the ids of those whose key another job has by
/// now; they must stay where they are. The rows were read for update.
[[nodiscard]] std::vector<std::string> take_back_keys(
    Transaction& transaction,
    std::span<const schema::Job> dead_letters,
    schema::TimePoint now
);

[[nodiscard]] ExpiredKeys remove_expired_keys(const StoreContext& context, const KeySearch& search);

[[nodiscard]] std::optional<KeyOwner>
owner_of_key(const StoreContext& context, std::string_view key);

}  // namespace jobstrand::persistence
