#include "persistence/rows/job_table.hpp"

#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "schema/exclusive_group.hpp"
#include "schema/limit/job_limit.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
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

/// Rows of one INSERT. A statement costs as much as ten rows, so a hundred take three, not nine.
constexpr std::array<std::size_t, 9> kRowsPerInsert{256, 128, 64, 32, 16, 8, 4, 2, 1};

bool is_null(const Value& value) {
    return std::holds_alternative<std::nullptr_t>(value);
}

bool is_our_scope(const Value& value) {
    const auto* const text = std::get_if<std::string_view>(&value);
    return text != nullptr && *text == schema::kOurScope;
}

/// How a column stands in the text of an INSERT.
enum class InText { left_out, null, our_scope, parameter };

InText in_text_of(const Value& value, const RowField& field) {
    if (is_null(value)) {
        return field.has_default ? InText::null : InText::left_out;
    }
    return is_our_scope(value) ? InText::our_scope : InText::parameter;
}

/// For each column: what is the same in all rows stands in the text.
std::vector<InText> in_text(const std::vector<Value>& values, std::span<const RowField> fields) {
    std::vector<InText> texts(fields.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t column = i % fields.size();
        InText& text = texts[column];
        if (i < fields.size()) {
            text = in_text_of(values[i], fields[column]);
        } else if (text != InText::parameter && text != in_text_of(values[i], fields[column])) {
            text = InText::parameter;
        }
    }
    return texts;
}

std::vector<Value> bound(const std::vector<Value>& values, const std::vector<InText>& texts) {
    std::vector<Value> rest;
    rest.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (texts[i % texts.size()] == InText::parameter) {
            rest.push_back(values[i]);
        }
    }
    return rest;
}

std::string_view mark_of(InText text) {
    switch (text) {
        case InText::left_out:
            return {};
        case InText::null:
            return "NULL";
        case InText::our_scope:
            return "'jobstrand'";
        case InText::parameter:
            return "?";
    }
    return {};
}

std::string text_of_columns(std::span<const RowField> fields, const std::vector<InText>& texts) {
    std::string columns;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (texts[i] != InText::left_out) {
            columns += columns.empty() ? "" : ", ";
            columns += fields[i].column;
        }
    }
    return columns;
}

std::string text_of_rows(const std::vector<InText>& texts, std::size_t rows) {
    std::string row;
    for (const InText text : texts) {
        if (text != InText::left_out) {
            row += row.empty() ? "(" : ", ";
            row += mark_of(text);
        }
    }
    row += ')';
    std::string all = row;
    for (std::size_t i = 1; i < rows; ++i) {
        all += ", ";
        all += row;
    }
    return all;
}

// A job uses a third of the columns, and what is bound or written out costs time on both sides:
// columns that no row uses are left out, and the scope of our rows stands in the text. Jobs of one
// kind are alike, so there are few texts.
void insert_at_once(Transaction& transaction, JobPlace place, std::span<const Job* const> jobs) {
    const std::span<const RowField> fields = fields_of(place);
    std::vector<Value> values;
    values.reserve(fields.size() * jobs.size());
    std::vector<Job> in_shared_tables;
    if (transaction.dialect().has_engine) {
        in_shared_tables.reserve(jobs.size());
    }
    for (const Job* job : jobs) {
        const bool is_shared = transaction.dialect().has_engine;
        append_row(
            values,
            place,
            is_shared ? in_shared_tables.emplace_back(as_in_shared_tables(*job)) : *job
        );
    }
    const std::vector<InText> texts = in_text(values, fields);
    const std::string sql = fmt::format(
        kInsert,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("columns", text_of_columns(fields, texts)),
        fmt::arg("rows", text_of_rows(texts, jobs.size()))
    );
    transaction.execute(sql, bound(values, texts));
}

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
    in_parts(jobs, kRowsPerInsert, [&](std::span<const Job* const> part) {
        insert_at_once(transaction, place, part);
    });
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
    std::int64_t deleted = 0;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids})) {
        deleted += transaction.execute(text, parameters);
    }
    return deleted;
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
