#include "persistence/queries/job_filter_sql.hpp"

#include "persistence/sql/dialect.hpp"
#include "schema/exclusive_group.hpp"
#include "schema/limit/job_limit.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <variant>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNever = " AND 1 = 0";

std::string text_of(const FieldCondition& asked, std::string_view column, const Dialect& dialect) {
    switch (asked.match) {
        case FieldCondition::Match::equal:
            return fmt::format("{} = ?", column);
        case FieldCondition::Match::part:
            return fmt::format("{}({}, ?) > 0", dialect.position_in, column);
        case FieldCondition::Match::before:
            return fmt::format("{} < ?", column);
        case FieldCondition::Match::after:
            return fmt::format("{} > ?", column);
    }
    return {};
}

Value value_of(const FieldCondition& asked) {
    if (const auto* const time = std::get_if<schema::TimePoint>(&asked.value)) {
        return *time;
    }
    return std::string_view(std::get<std::string>(asked.value));
}

void add_field(
    Condition& condition,
    const FieldCondition& asked,
    schema::JobPlace place,
    const Dialect& dialect
) {
    const schema::JobField& field = schema::field_of(asked.member);
    if (!field.is_in(place)) {
        condition.sql += kNever;
        return;
    }
    condition.sql += " AND " + text_of(asked, field.column.name, dialect);
    condition.parameters.push_back(value_of(asked));
}

void add_locked(Condition& condition, std::optional<bool> locked, schema::JobPlace place) {
    if (!locked) {
        return;
    }
    if (schema::has_lock(place)) {
        condition.sql +=
            *locked ? " AND LOCK_EXP_TIME_ IS NOT NULL AND COALESCE(LOCK_OWNER_, '') NOT IN (?, ?)"
                    : " AND (LOCK_EXP_TIME_ IS NULL OR LOCK_OWNER_ IN (?, ?))";
        condition.parameters.emplace_back(schema::kWaitingOwner);
        condition.parameters.emplace_back(schema::kLimitedOwner);
    } else if (*locked) {
        condition.sql += kNever;
    }
}

}  // namespace

Condition condition_of(const JobFilter& filter, schema::JobPlace place, const Dialect& dialect) {
    Condition condition{.sql = "1 = 1", .parameters = {}};
    for (const FieldCondition& asked : filter.fields) {
        add_field(condition, asked, place, dialect);
    }
    add_locked(condition, filter.locked, place);
    return condition;
}

}  // namespace jobstrand::persistence
