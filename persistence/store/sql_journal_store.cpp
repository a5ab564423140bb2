#include "persistence/journal/journal_operations.hpp"
#include "persistence/store/sql_store.hpp"

namespace jobstrand::persistence {

std::string SqlStore::begin_action(const AuditedAction& action, schema::TimePoint now) {
    return persistence::begin_action(context_, action, now);
}

void SqlStore::end_action(
    std::string_view id,
    std::string_view result,
    std::optional<std::int64_t> changed
) {
    persistence::end_action(context_, id, result, changed);
}

std::vector<AuditEntry>
SqlStore::audit(const AuditFilter& filter, std::string_view behind, std::size_t limit) {
    return list_audit(context_, filter, behind, limit);
}

std::int64_t SqlStore::forget_audit(schema::TimePoint before) {
    return persistence::forget_audit(context_, before);
}

}  // namespace jobstrand::persistence
