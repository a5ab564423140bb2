#include "persistence/queries/job_filter_sql.hpp"

#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/exclusive_group.hpp"
#include "schema/limit/job_limit.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNever = " AND 1 = 0";
constexpr std::string_view kFailed =
    " AND (COALESCE(EXCEPTION_MSG_, '') <> '' OR EXCEPTION_STACK_ID_ IS NOT NULL)";
constexpr std::string_view kNotFailed =
    " AND COALESCE(EXCEPTION_MSG_, '') = '' AND EXCEPTION_STACK_ID_ IS NULL";

using Match = FieldCondition::Match;

std::string list_of(std::string_view column, const FieldCondition::Texts& texts) {
    std::string marks;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        marks += i == 0 ? "?" : ", ?";
    }
    return texts.empty() ? "1 = 0" : fmt::format("{} IN ({})", column, marks);
}

[[nodiscard]] bool is_beginning(std::string_view text) {
    return text.ends_with('*');
}

std::string
alike(std::string_view column, const FieldCondition::Texts& texts, const Dialect& dialect) {
    std::string any = "1 = 0";
    for (const std::string& text : texts) {
        any += is_beginning(text) ? fmt::format(" OR {}({}, ?) = 1", dialect.position_in, column)
                                  : fmt::format(" OR {} = ?", column);
    }
    return fmt::format("({})", any);
}

std::string is_absent_in(std::string_view column, const schema::JobMember& member) {
    if (member == schema::JobMember{&schema::Job::scope_type}) {
        // To whoever asks in Flowable's words our mark is no scope.
        return fmt::format("COALESCE({}, '') IN ('', 'jobstrand')", column);
    }
    const bool is_text = std::holds_alternative<std::string schema::Job::*>(member);
    return fmt::format(fmt::runtime(is_text ? "COALESCE({}, '') = ''" : "{} IS NULL"), column);
}

std::string text_of(const FieldCondition& asked, std::string_view column, const Dialect& dialect) {
    switch (asked.match) {
        case Match::equal:
            return fmt::format("{} = ?", column);
        case Match::part:
            return fmt::format("{}({}, ?) > 0", dialect.position_in, column);
        case Match::start:
            return fmt::format("{}({}, ?) = 1", dialect.position_in, column);
        case Match::one_of:
            return list_of(column, std::get<FieldCondition::Texts>(asked.value));
        case Match::like_one_of:
            return alike(column, std::get<FieldCondition::Texts>(asked.value), dialect);
        case Match::absent:
            return is_absent_in(column, asked.member);
        case Match::before:
            return fmt::format("{} < ?", column);
        case Match::after:
        case Match::above:
            return fmt::format("{} > ?", column);
        case Match::not_below:
            return fmt::format("{} >= ?", column);
        case Match::not_above:
            return fmt::format("{} <= ?", column);
    }
    return {};
}

void add_values(std::vector<Value>& parameters, const FieldCondition& asked) {
    if (asked.match == Match::absent) {
        return;
    }
    if (const auto* const texts = std::get_if<FieldCondition::Texts>(&asked.value)) {
        const bool may_be_beginnings = asked.match == Match::like_one_of;
        for (const std::string_view text : *texts) {
            const bool is_cut = may_be_beginnings && is_beginning(text);
            parameters.emplace_back(text.substr(0, text.size() - (is_cut ? 1 : 0)));
        }
    } else if (const auto* const time = std::get_if<schema::TimePoint>(&asked.value)) {
        parameters.emplace_back(*time);
    } else if (const auto* const number = std::get_if<std::int64_t>(&asked.value)) {
        parameters.emplace_back(*number);
    } else {
        parameters.emplace_back(std::string_view(std::get<std::string>(asked.value)));
    }
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
    condition.sql += " AND " + text_of(asked, expression_for(field.column.name, dialect), dialect);
    add_values(condition.parameters, asked);
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

/// No database takes a statement of any length, and each has other words for that.
void require_bounds(const JobFilter& filter, std::size_t values) {
    using schema::limits::kFilterConditions;
    using schema::limits::kFilterValues;
    if (filter.fields.size() > kFilterConditions) {
        throw std::invalid_argument(fmt::format(
            "a filter has at most {} conditions, not {}", kFilterConditions, filter.fields.size()
        ));
    }
    if (values > kFilterValues) {
        throw std::invalid_argument(
            fmt::format("a filter has at most {} values, not {}", kFilterValues, values)
        );
    }
}

}  // namespace

Condition condition_of(const JobFilter& filter, schema::JobPlace place, const Dialect& dialect) {
    Condition condition{.sql = "1 = 1", .parameters = {}};
    for (const FieldCondition& asked : filter.fields) {
        add_field(condition, asked, place, dialect);
    }
    require_bounds(filter, condition.parameters.size());
    add_locked(condition, filter.locked, place);
    if (!filter.up_to.empty()) {
        condition.sql += " AND ID_ <= ?";
        condition.parameters.emplace_back(std::string_view(filter.up_to));
    }
    if (filter.failed) {
        condition.sql += *filter.failed ? kFailed : kNotFailed;
    }
    if (filter.only_ours) {
        condition.sql += fmt::format(" {}", and_ours(dialect));
    }
    return condition;
}

}  // namespace jobstrand::persistence
