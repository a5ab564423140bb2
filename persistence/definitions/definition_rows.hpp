#pragma once

#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <span>
#include <string_view>

/// See EnqueuerStore.
namespace jobstrand::persistence {

[[nodiscard]] KnownDefinitions
known_definitions(const StoreContext& context, Transaction* transaction, schema::SteadyPoint now);

void record_definitions(
    const StoreContext& context,
    Transaction* transaction,
    std::span<const schema::JobDefinitionName> names
);

/// The columns of a row, in the order in which definition_in reads them.
inline constexpr std::string_view kDefinitionColumns =
    "PROC_DEF_ID_, ACT_ID_, JOB_TYPE_, PRIORITY_, RETRY_CYCLE_, EXCLUSIVE_, JOB_PRIORITY_";
inline constexpr std::size_t kDefinitionColumnCount = 7;

[[nodiscard]] schema::JobDefinition definition_in(const Row& row);

}  // namespace jobstrand::persistence
