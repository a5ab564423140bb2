#include "persistence/queries/failure_row.hpp"
#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "schema/ensure.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

using schema::Job;

// Databases differ in where they sort what has no time, so those without one are a list of their
// own behind the others. An index serves each.
constexpr std::string_view kDated = R"sql(
    SELECT {columns}
    FROM ACT_RU_DEADLETTER_JOB
    WHERE {behind} AND {condition}
    ORDER BY FAILED_TIME_ DESC, ID_ DESC
    LIMIT ?)sql";

constexpr std::string_view kUndated = R"sql(
    SELECT {columns}
    FROM ACT_RU_DEADLETTER_JOB
    WHERE FAILED_TIME_ IS NULL AND {behind} AND {condition}
    ORDER BY ID_ DESC
    LIMIT ?)sql";

/// Which part of the list: its statement, and what stands behind the mark.
struct ListPart {
    std::string_view sql;
    std::string_view behind;
    std::vector<Value> parameters;
};

ListPart dated_behind(const std::optional<DeadLetterMark>& mark) {
    if (!mark) {
        return {.sql = kDated, .behind = "FAILED_TIME_ IS NOT NULL", .parameters = {}};
    }
    const schema::TimePoint time = mark->failed_time.value();
    return {
        .sql = kDated,
        .behind = "FAILED_TIME_ <= ? AND (FAILED_TIME_ < ? OR ID_ < ?)",
        .parameters = {time, time, std::string_view(mark->id)},
    };
}

ListPart undated_behind(const std::optional<DeadLetterMark>& mark) {
    if (!mark || mark->failed_time) {
        return {.sql = kUndated, .behind = "1 = 1", .parameters = {}};
    }
    return {.sql = kUndated, .behind = "ID_ < ?", .parameters = {std::string_view(mark->id)}};
}

constexpr auto kDead = schema::JobPlace::dead_letter;

/// What is read of each row, and where it goes.
struct Reading {
    std::string_view columns;
    std::size_t count;
    RowReader read;
};

/// Rows that no id finds are left out; the list in the order of the ids names them. Returns how
/// many rows there were.
std::size_t read_part(
    Connection& connection,
    ListPart part,
    const JobFilter& filter,
    std::size_t limit,
    const Reading& reading
) {
    const Condition condition = condition_of(filter, kDead, connection.dialect());
    const std::string sql = fmt::format(
        fmt::runtime(part.sql),
        fmt::arg("columns", reading.columns),
        fmt::arg("behind", part.behind),
        fmt::arg("condition", condition.sql)
    );
    std::vector<Value>& parameters = part.parameters;
    parameters.insert(parameters.end(), condition.parameters.begin(), condition.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    std::size_t rows = 0;
    connection.query({.sql = sql, .columns = reading.count}, parameters, [&](const Row& row) {
        if (!is_nameless(row)) {
            reading.read(row);
            ++rows;
        }
    });
    return rows;
}

void read_newest(
    Connection& connection,
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit,
    const Reading& reading
) {
    JOBSTRAND_ENSURE(filter.ids.empty());
    std::size_t rows = 0;
    if (!behind || behind->failed_time) {
        rows = read_part(connection, dated_behind(behind), filter, limit, reading);
    }
    if (rows < limit) {
        (void)read_part(connection, undated_behind(behind), filter, limit - rows, reading);
    }
}

}  // namespace

std::vector<Job> SqlOperatorStore::newest_dead_letters(
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
) {
    std::vector<Job> jobs;
    context_.runner.read([&](Connection& connection) {
        jobs.clear();
        const Reading whole{
            selected_of(kDead, connection.dialect()),
            fields_of(kDead).size(),
            append_to(jobs, kDead)};
        read_newest(connection, filter, behind, limit, whole);
    });
    return jobs;
}

std::vector<DeadLetterFailure> SqlOperatorStore::newest_failures(
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
) {
    std::vector<DeadLetterFailure> failures;
    context_.runner.read([&](Connection& connection) {
        failures.clear();
        const auto append = [&](const Row& row) { failures.push_back(failure_in(row)); };
        read_newest(connection, filter, behind, limit, {kFailureColumns, 4, append});
    });
    return failures;
}

}  // namespace jobstrand::persistence
