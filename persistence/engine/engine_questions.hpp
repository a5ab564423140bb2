#pragma once

#include "persistence/engine_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/suspension.hpp"

#include <optional>
#include <string_view>

/// What is asked of an engine's own tables: see EngineStore, and OperatorStore::is_of_engine.
namespace jobstrand::persistence {

[[nodiscard]] bool has_engine(const StoreContext& context);

[[nodiscard]] std::optional<schema::TimePoint> last_engine_job(const StoreContext& context);

[[nodiscard]] bool take_instance(const StoreContext& context, const InstanceClaim& claim);

[[nodiscard]] bool
is_of_engine(const StoreContext& context, SuspensionScope scope, std::string_view id);

void free_instance(const StoreContext& context, std::string_view instance, std::string_view owner);

}  // namespace jobstrand::persistence
