#pragma once

#include "persistence/definition_store.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// See DefinitionStore and EnqueuerStore.
namespace jobstrand::persistence {

[[nodiscard]] std::vector<schema::JobDefinition> list_definitions(
    const StoreContext& context,
    const DefinitionFilter& filter,
    std::string_view behind,
    std::size_t limit
);

[[nodiscard]] std::optional<schema::JobDefinition>
find_definition(const StoreContext& context, const schema::JobDefinitionName& name);

schema::JobDefinition change_definition(
    const StoreContext& context,
    const schema::JobDefinitionName& name,
    const DefinitionChange& change
);

[[nodiscard]] bool
remove_definition(const StoreContext& context, const schema::JobDefinitionName& name);

[[nodiscard]] OverrideStep override_priorities(
    const StoreContext& context,
    const schema::JobDefinitionName& name,
    std::int64_t priority,
    const OverridePosition& from,
    schema::TimePoint now
);

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
