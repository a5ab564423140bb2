#include "persistence/rows/job_table.hpp"

#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/new_rows.hpp"
#include "schema/exclusive_group.hpp"
#include "schema/limit/job_limit.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kLock = R"sql(
    SELECT {columns}
    FROM {table} {by_id}
    WHERE ID_ IN (...)
    ORDER BY ID_
    {for_update})sql";

constexpr std::string_view kUpdate = R"sql(UPDATE {table} SET {assignments} WHERE ID_ = ?)sql";

constexpr std::string_view kDelete = R"sql({delete_where} ID_ IN (...))sql";

std::string assignments_of(JobPlace place) {
    std::string assignments;
    for (const RowField& field : fields_of(place)) {
        assignments += assignments.empty() ? "" : ", ";
        assignments += field.column;
        assignments += " = ?";
    }
    return assignments;
}

void read_locking(
    Transaction& transaction,
    JobPlace place,
    std::span<const std::string_view> ids,
    std::string_view how,
    const RowReader& read
) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("columns", selected_of(place, dialect)),
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("for_update", how)
    );
    const std::vector<std::string_view> possible = possible_ids(ids, dialect);
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = possible})) {
        transaction.query({.sql = text, .columns = fields_of(place).size()}, parameters, read);
    }
}

void read_for_update(
    Transaction& transaction,
    JobPlace place,
    std::span<const std::string_view> ids,
    const RowReader& read
) {
    read_locking(transaction, place, ids, transaction.dialect().for_update, read);
}

}  // namespace

void insert_rows(Transaction& transaction, JobPlace place, std::span<const Job* const> jobs) {
    NewRows rows = new_rows_of(place);
    rows.values.reserve(rows.columns.size() * jobs.size());
    const bool are_shared = transaction.dialect().has_engine;
    std::vector<Job> in_shared_tables;
    in_shared_tables.reserve(are_shared ? jobs.size() : 0);
    for (const Job* job : jobs) {
        const Job& row =
            are_shared ? in_shared_tables.emplace_back(as_in_shared_tables(*job)) : *job;
        append_row(rows.values, place, row);
    }
    insert_all(transaction, rows);
}

std::vector<Job>
rows_for_update(Transaction& transaction, JobPlace place, std::span<const std::string_view> ids) {
    std::vector<Job> jobs;
    jobs.reserve(ids.size());
    read_for_update(transaction, place, ids, append_to(jobs, place));
    return jobs;
}

std::vector<Job> untouched_for_update(
    Transaction& transaction,
    JobPlace place,
    std::span<const std::string_view> ids
) {
    std::vector<Job> jobs;
    const std::string_view skip_locked = transaction.dialect().skip_locked;
    read_locking(transaction, place, ids, skip_locked, append_to(jobs, place));
    return jobs;
}

JobRows checked_for_update(
    Transaction& transaction,
    JobPlace place,
    std::span<const std::string_view> ids
) {
    JobRows rows;
    read_for_update(transaction, place, ids, append_to(rows, place));
    return rows;
}

std::optional<Job> row_for_update(Transaction& transaction, JobPlace place, std::string_view id) {
    std::vector<Job> rows = rows_for_update(transaction, place, std::span(&id, 1));
    return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

void update_row(Transaction& transaction, JobPlace place, const Job& job) {
    const std::string sql = fmt::format(
        kUpdate,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("assignments", assignments_of(place))
    );
    std::vector<Value> values;
    std::optional<Job> in_shared_tables;
    if (transaction.dialect().has_engine) {
        in_shared_tables = as_in_shared_tables(job);
    }
    append_row(values, place, in_shared_tables ? *in_shared_tables : job);
    values.emplace_back(std::string_view(job.id));
    transaction.execute(sql, values);
}

std::int64_t
delete_rows(Transaction& transaction, JobPlace place, std::span<const std::string_view> ids) {
    const std::string sql = fmt::format(
        kDelete,
        fmt::arg("delete_where", delete_where(transaction.dialect(), schema::table_of(place)))
    );
    return execute_for_ids(transaction, sql, {.ids = ids});
}

bool is_any_in(Transaction& transaction, JobPlace place, std::span<const std::string> ids) {
    const std::vector<std::string_view> list(ids.begin(), ids.end());
    return !rows_for_update(transaction, place, list).empty();
}

bool is_locked(const Job& job, schema::TimePoint now) {
    return job.lock_expiration && *job.lock_expiration >= now &&
           !schema::waits_for_exclusive(job) && !schema::waits_for_limit(job);
}

}  // namespace jobstrand::persistence
