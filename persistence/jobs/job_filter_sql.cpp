#include "persistence/jobs/job_filter_sql.hpp"

#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace jobstrand::persistence {

namespace {

void add(Condition& condition, std::string_view sql, Value value) {
    condition.sql += " AND ";
    condition.sql += sql;
    condition.parameters.push_back(value);
}

void add_text(Condition& condition, std::string_view sql, std::string_view text) {
    if (!text.empty()) {
        add(condition, sql, text);
    }
}

void add_time(
    Condition& condition,
    std::string_view sql,
    const std::optional<schema::TimePoint>& time
) {
    if (time) {
        add(condition, sql, *time);
    }
}

void add_locked(Condition& condition, std::optional<bool> locked, schema::JobPlace place) {
    if (!locked) {
        return;
    }
    if (schema::has_lock(place)) {
        condition.sql +=
            *locked ? " AND LOCK_EXP_TIME_ IS NOT NULL" : " AND LOCK_EXP_TIME_ IS NULL";
    } else if (*locked) {
        condition.sql += " AND 1 = 0";
    }
}

}  // namespace

Condition condition_of(const JobFilter& filter, schema::JobPlace place, const Dialect& dialect) {
    const std::string has_error = fmt::format("{}(EXCEPTION_MSG_, ?) > 0", dialect.position_in);
    Condition condition{.sql = "1 = 1", .parameters = {}};
    add_text(condition, "HANDLER_TYPE_ = ?", filter.handler_type);
    add_text(condition, "PROCESS_INSTANCE_ID_ = ?", filter.process_instance_id);
    add_text(condition, "PROC_DEF_ID_ = ?", filter.process_definition_id);
    add_text(condition, "ELEMENT_ID_ = ?", filter.element_id);
    add_text(condition, "CATEGORY_ = ?", filter.category);
    add_text(condition, "TENANT_ID_ = ?", filter.tenant_id);
    add_text(condition, "CORRELATION_ID_ = ?", filter.correlation_id);
    add_text(condition, has_error, filter.error);
    add_time(condition, "CREATE_TIME_ < ?", filter.created_before);
    add_time(condition, "CREATE_TIME_ > ?", filter.created_after);
    add_time(condition, "DUEDATE_ < ?", filter.due_before);
    add_time(condition, "DUEDATE_ > ?", filter.due_after);
    add_locked(condition, filter.locked, place);
    return condition;
}

}  // namespace jobstrand::persistence
