#include "deadletter/desk/audit_desk.hpp"

#include "persistence/sql/db_error.hpp"

namespace jobstrand::deadletter {

void AuditDesk::run(
    const persistence::AuditedAction& action,
    const std::function<ActionEnd()>& carry_out
) {
    const std::string id = store_.begin_action(action, clock_.now());
    ActionEnd end;
    try {
        end = carry_out();
    } catch (...) {
        // Defended catch: why the action failed says more than that this cannot be written down.
        try {
            store_.end_action(id, "failed", {});
        } catch (const persistence::DbError&) {
        }
        throw;
    }
    store_.end_action(id, end.result, end.changed);
}

schema::Page<persistence::AuditEntry> AuditDesk::list(
    const persistence::AuditFilter& filter,
    const std::string& behind,
    std::size_t limit
) {
    return schema::first_page(limit, [&](std::size_t most) {
        return store_.audit(filter, behind, most);
    });
}

}  // namespace jobstrand::deadletter
