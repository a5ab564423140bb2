#include "persistence/job_table.hpp"

#include "persistence/dialect.hpp"
#include "persistence/id_lists.hpp"
#include "persistence/job_row.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kInsert = R"sql(INSERT INTO {table} ({columns}) VALUES {rows})sql";

constexpr std::string_view kLock = R"sql(
    SELECT {columns}
    FROM {table} {by_id}
    WHERE ID_ IN (...)
    ORDER BY ID_
    {for_update})sql";

constexpr std::string_view kUpdate = R"sql(UPDATE {table} SET {assignments} WHERE ID_ = ?)sql";

constexpr std::string_view kDelete = R"sql({delete_where} ID_ IN (...))sql";

/// Rows of one INSERT: few sizes, so that few distinct statements are prepared.
constexpr std::array<std::size_t, 3> kRowsPerInsert{64, 8, 1};

std::size_t rows_of_next_insert(std::size_t rest) {
    for (const std::size_t rows : kRowsPerInsert) {
        if (rows <= rest) {
            return rows;
        }
    }
    return 1;
}

std::string placeholder_rows(std::size_t columns, std::size_t rows) {
    std::string row = "(?";
    for (std::size_t column = 1; column < columns; ++column) {
        row += ", ?";
    }
    row += ')';
    std::string all = row;
    for (std::size_t i = 1; i < rows; ++i) {
        all += ", ";
        all += row;
    }
    return all;
}

void insert_at_once(Transaction& transaction, JobPlace place, std::span<const Job* const> jobs) {
    const std::size_t columns = fields_of(place).size();
    const std::string sql = fmt::format(
        kInsert,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("columns", columns_of(place)),
        fmt::arg("rows", placeholder_rows(columns, jobs.size()))
    );
    std::vector<Value> values;
    values.reserve(columns * jobs.size());
    for (const Job* job : jobs) {
        append_row(values, place, *job);
    }
    transaction.execute(sql, values);
}

std::string assignments_of(JobPlace place) {
    std::string assignments;
    for (const JobField& field : fields_of(place)) {
        assignments += assignments.empty() ? "" : ", ";
        assignments += field.column;
        assignments += " = ?";
    }
    return assignments;
}

}  // namespace

void insert_rows(Transaction& transaction, JobPlace place, std::span<const Job* const> jobs) {
    for (auto rest = jobs; !rest.empty();) {
        const std::size_t rows = rows_of_next_insert(rest.size());
        insert_at_once(transaction, place, rest.first(rows));
        rest = rest.subspan(rows);
    }
}

std::vector<Job>
lock_rows(Transaction& transaction, JobPlace place, std::span<const std::string_view> ids) {
    const Dialect& dialect = dialect_of(transaction.kind());
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("columns", columns_of(place)),
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("for_update", dialect.for_update)
    );
    std::vector<Job> jobs;
    jobs.reserve(ids.size());
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids})) {
        transaction.query(
            {.sql = text, .columns = fields_of(place).size()}, parameters, append_to(jobs, place)
        );
    }
    return jobs;
}

std::optional<Job> lock_row(Transaction& transaction, JobPlace place, std::string_view id) {
    std::vector<Job> rows = lock_rows(transaction, place, std::span(&id, 1));
    return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

void update_row(Transaction& transaction, JobPlace place, const Job& job) {
    const std::string sql = fmt::format(
        kUpdate,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("assignments", assignments_of(place))
    );
    std::vector<Value> values;
    append_row(values, place, job);
    values.emplace_back(std::string_view(job.id));
    transaction.execute(sql, values);
}

std::int64_t
delete_rows(Transaction& transaction, JobPlace place, std::span<const std::string_view> ids) {
    const std::string sql = fmt::format(
        kDelete, fmt::arg("delete_where", delete_where(transaction.kind(), schema::table_of(place)))
    );
    std::int64_t deleted = 0;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids})) {
        deleted += transaction.execute(text, parameters);
    }
    return deleted;
}

bool is_any_in(Transaction& transaction, JobPlace place, std::span<const std::string> ids) {
    const std::vector<std::string_view> list(ids.begin(), ids.end());
    return !lock_rows(transaction, place, list).empty();
}

bool is_locked(const Job& job, schema::TimePoint now) {
    return job.lock_expiration && *job.lock_expiration >= now;
}

}  // namespace jobstrand::persistence
