#pragma once

#include "persistence/audit_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// See AuditStore.
namespace jobstrand::persistence {

[[nodiscard]] std::string
begin_action(const StoreContext& context, const AuditedAction& action, schema::TimePoint now);

void end_action(
    const StoreContext& context,
    std::string_view id,
    std::string_view result,
    std::optional<std::int64_t> changed
);

[[nodiscard]] std::vector<AuditEntry> list_audit(
    const StoreContext& context,
    const AuditFilter& filter,
    std::string_view behind,
    std::size_t limit
);

std::int64_t forget_audit(const StoreContext& context, schema::TimePoint before);

}  // namespace jobstrand::persistence
