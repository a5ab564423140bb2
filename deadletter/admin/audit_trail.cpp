#include "deadletter/admin/audit_trail.hpp"

#include "persistence/sql/db_error.hpp"

#include <algorithm>

namespace jobstrand::deadletter {

void ActionCounts::add(std::string_view action, std::string_view result, std::int64_t changed) {
    Kind kind{.action = std::string(action), .result = std::string(result)};
    const std::scoped_lock lock(mutex_);
    if (counts_.size() == kMost && !counts_.contains(kind)) {
        return;
    }
    Count& count = counts_[std::move(kind)];
    ++count.actions;
    count.changed += static_cast<std::uint64_t>(std::max<std::int64_t>(changed, 0));
}

ActionCounts::Counts ActionCounts::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

void AuditTrail::run(
    const persistence::AuditedAction& action,
    const std::function<ActionEnd()>& carry_out
) {
    const std::string id = store_.begin_action(action, clock_.now());
    ActionEnd end;
    try {
        end = carry_out();
    } catch (...) {
        write_end(id, action.action, {.result = "failed"});
        throw;
    }
    write_end(id, action.action, end);
}

void AuditTrail::write_end(const std::string& id, const std::string& action, const ActionEnd& end) {
    if (counts_ != nullptr) {
        counts_->add(action, end.result, end.changed.value_or(0));
    }
    try {
        store_.end_action(id, end.result, end.changed);
    } catch (const persistence::DbError&) {
        // Defended catch: what the action did or why it failed says more than this, and an error
        // here would make a caller repeat what is done.
    }
}

schema::Page<persistence::AuditEntry> AuditTrail::list(
    const persistence::AuditFilter& filter,
    const std::string& behind,
    std::size_t limit
) {
    return schema::first_page(limit, [&](std::size_t most) {
        return store_.audit(filter, behind, most);
    });
}

}  // namespace jobstrand::deadletter
