#include "persistence/jobs/served_condition.hpp"

#include "persistence/rows/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job_fields.hpp"
#include "schema/series.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace jobstrand::persistence {

namespace {

// Each part stands there only where a node is particular about it.
constexpr std::string_view kOfType = "HANDLER_TYPE_ IN (...)";
constexpr std::string_view kNeedsNothing = " AND NEEDS_ IS NULL";
constexpr std::string_view kHasWhatIsNeeded = " AND (NEEDS_ IS NULL OR NEEDS_ IN (...))";
constexpr std::string_view kInPriorities = " AND PRIORITY_ BETWEEN ? AND ?";
constexpr std::string_view kListed = " AND {column} IN (...)";
constexpr std::string_view kListedOrNone = " AND ({column} IS NULL OR {column} IN (...))";

constexpr std::string_view kOfOtherType = "HANDLER_TYPE_ IS NULL OR HANDLER_TYPE_ NOT IN (...)";
constexpr std::string_view kExternal = " OR TYPE_ = ?";
constexpr std::string_view kOutOfRange = " OR PRIORITY_ NOT BETWEEN ? AND ?";
constexpr std::string_view kNotListed = " OR {column} IS NULL OR {column} NOT IN (...)";
constexpr std::string_view kNotListedNorNone =
    " OR ({column} IS NOT NULL AND {column} NOT IN (...))";

void append_list(
    BoundStatement& condition,
    std::string_view part,
    std::span<const std::string> texts
) {
    // Lists of one statement are never cut: the page is one SELECT.
    const std::size_t size = padded_list_size(texts.size());
    condition.sql += with_list_size(part, size);
    for (std::size_t i = 0; i < size; ++i) {
        condition.parameters.emplace_back(std::string_view(texts[std::min(i, texts.size() - 1)]));
    }
}

void append_range(
    BoundStatement& condition,
    std::string_view part,
    const schema::ServedScope& scope
) {
    if (!schema::has_all_priorities(scope)) {
        condition.sql += part;
        condition.parameters.emplace_back(scope.priority_min);
        condition.parameters.emplace_back(scope.priority_max);
    }
}

/// One of two parts for each list, the second where the empty value is in it.
void append_scope(
    BoundStatement& condition,
    const schema::ServedScope& scope,
    const Dialect& dialect,
    std::string_view part,
    std::string_view part_with_none
) {
    for (const schema::ScopeList& list : schema::kScopeLists) {
        const std::vector<std::string>& values = scope.*list.values;
        if (values.empty()) {
            continue;
        }
        const bool is_none_in = std::ranges::count(values, std::string_view()) > 0;
        const std::string sql = fmt::format(
            fmt::runtime(is_none_in ? part_with_none : part),
            fmt::arg("column", expression_for(schema::field_of(list.field).column.name, dialect))
        );
        append_list(condition, sql, values);
    }
}

}  // namespace

BoundStatement condition_of(const ServedJobs& served, const Dialect& dialect) {
    BoundStatement condition{.sql = {}, .parameters = {}};
    append_list(condition, kOfType, served.types);
    if (served.needs.empty()) {
        condition.sql += kNeedsNothing;
    } else {
        append_list(condition, kHasWhatIsNeeded, served.needs);
    }
    append_range(condition, kInPriorities, served.scope);
    append_scope(condition, served.scope, dialect, kListed, kListedOrNone);
    return condition;
}

BoundStatement condition_of_others(const ServedJobs& served, const Dialect& dialect) {
    BoundStatement condition{.sql = "(", .parameters = {}};
    append_list(condition, kOfOtherType, served.types);
    condition.sql += kExternal;
    condition.parameters.emplace_back(schema::kExternalWorkerType);
    append_range(condition, kOutOfRange, served.scope);
    append_scope(condition, served.scope, dialect, kNotListed, kNotListedNorNone);
    condition.sql += ')';
    return condition;
}

BoundStatement and_ours_or_served(const ServedJobs& served, const Dialect& dialect) {
    BoundStatement condition{.sql = std::string(and_ours(dialect)), .parameters = {}};
    if (dialect.has_engine && !served.types.empty()) {
        condition.sql = "AND (SCOPE_TYPE_ = 'jobstrand' OR ";
        append_list(condition, kOfType, served.types);
        condition.sql += ')';
    }
    return condition;
}

namespace {

std::string_view without_blanks_behind(std::string_view name) {
    return name.substr(0, name.find_last_not_of(' ') + 1);
}

bool are_same(std::string_view name, std::string_view served) {
    return std::ranges::equal(
        without_blanks_behind(name),
        without_blanks_behind(served),
        {},
        schema::small_letter,
        schema::small_letter
    );
}

}  // namespace

void use_served_names(std::span<schema::Job> jobs, std::span<const std::string> handler_types) {
    for (schema::Job& job : jobs) {
        if (std::ranges::find(handler_types, job.handler_type) != handler_types.end()) {
            continue;
        }
        const auto served = std::ranges::find_if(handler_types, [&job](std::string_view type) {
            return are_same(job.handler_type, type);
        });
        if (served != handler_types.end()) {
            job.handler_type = *served;
        }
    }
}

}  // namespace jobstrand::persistence
