#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/queries/job_queries.hpp"
#include "persistence/rows/job_row.hpp"
#include "schema/ensure.hpp"
#include "schema/job_fields.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

using schema::Job;

// Databases differ in where they sort what has no value: here it comes last in either direction.
constexpr std::string_view kInOrder = R"sql(
    SELECT {columns}
    FROM {table}
    WHERE {condition}
    ORDER BY CASE WHEN {by} IS NULL THEN 1 ELSE 0 END, {by} {direction}, ID_ {direction}
    LIMIT ? OFFSET ?)sql";

/// Where the place has no such column nobody has a value.
std::string_view column_of(const SortedPart& part, schema::JobPlace place) {
    const schema::JobField& field = schema::field_of(part.by);
    return field.is_in(place) ? field.column.name : "ID_";
}

}  // namespace

std::vector<Job> list_in_order(
    const StoreContext& context,
    schema::JobPlace place,
    const JobFilter& filter,
    const SortedPart& part
) {
    JOBSTRAND_ENSURE(filter.ids.empty());
    std::vector<Job> jobs;
    context.runner.read([&](Connection& connection) {
        jobs.clear();
        Condition condition = condition_of(filter, place, connection.dialect());
        const std::string sql = fmt::format(
            kInOrder,
            fmt::arg("columns", selected_of(place, connection.dialect())),
            fmt::arg("table", schema::table_of(place)),
            fmt::arg("condition", condition.sql),
            fmt::arg("by", column_of(part, place)),
            fmt::arg("direction", part.is_descending ? "DESC" : "ASC")
        );
        condition.parameters.emplace_back(static_cast<std::int64_t>(part.limit));
        condition.parameters.emplace_back(static_cast<std::int64_t>(part.skipped));
        connection.query(
            {.sql = sql, .columns = fields_of(place).size()},
            condition.parameters,
            append_to(jobs, place)
        );
    });
    return jobs;
}

}  // namespace jobstrand::persistence
