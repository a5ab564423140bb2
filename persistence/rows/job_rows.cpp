#include "persistence/rows/job_rows.hpp"

#include "persistence/rows/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/concurrency.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

namespace {

/// Without a tenant Flowable stores '', the default of the column, and asks for it.
constexpr std::string_view kEmptyText = "''";

struct Layout {
    std::vector<RowField> fields;
    std::vector<std::string_view> names;
    std::vector<std::string_view> with_default;
    std::string columns;
    std::string selected_beside_engine;
};

void append_to_list(std::string& list, std::string_view one) {
    list += list.empty() ? "" : ", ";
    list += one;
}

// A short list of its own for each place: whole fields have texts that no row needs, and would be
// read from memory with every row.
Layout layout_of(JobPlace place) {
    Layout layout;
    for (const schema::JobField& field : schema::job_fields()) {
        if (field.is_in(place)) {
            append_to_list(layout.columns, field.column.name);
            append_to_list(
                layout.selected_beside_engine, expression_in_shared_tables(field.column.name)
            );
            layout.fields.push_back({
                .column = field.column.name,
                .member = field.member,
                .is_null_when_empty =
                    field.column.default_value != kEmptyText && !field.column.required,
            });
            layout.names.push_back(field.column.name);
            if (!field.column.default_value.empty()) {
                layout.with_default.push_back(field.column.name);
            }
        }
    }
    return layout;
}

const Layout& known_layout_of(JobPlace place) {
    static const std::array layouts{
        layout_of(JobPlace::executable),
        layout_of(JobPlace::timer),
        layout_of(JobPlace::suspended),
        layout_of(JobPlace::dead_letter),
        layout_of(JobPlace::external_worker),
    };
    return layouts.at(static_cast<std::size_t>(place));
}

/// One value of a row: a visitor for the kinds of members.
struct ValueOf {
    const Job& job;
    bool is_null_when_empty;

    Value operator()(std::string Job::*member) const {
        if (member == &Job::payload && is_stored_apart(job)) {
            return {};
        }
        return is_null_when_empty ? text_or_null(job.*member)
                                  : Value{std::string_view(job.*member)};
    }
    Value operator()(int Job::*member) const { return std::int64_t{job.*member}; }
    Value operator()(std::int64_t Job::*member) const { return job.*member; }
    Value operator()(bool Job::*member) const { return job.*member; }
    Value operator()(std::optional<schema::TimePoint> Job::*member) const {
        return time_or_null(job.*member);
    }
};

/// Integers are counted up: REV_ with every change, and it must not overflow. A job that begins a
/// way has to have a long one before it; on its way, it is read until shortly before the end.
constexpr std::int64_t kMostAtFirst = kMostToCount;
constexpr std::int64_t kMostOnTheWay = std::numeric_limits<int>::max() - 1000;

/// Reads one column into a job that still has its defaults: a visitor for the kinds of members.
struct ReadColumn {
    const Row& row;
    std::size_t column;
    Job& job;
    std::int64_t most;  ///< Of an integer that is counted up.

    void operator()(std::string Job::*member) const {
        const std::string_view text = row.text(column);
        if (text.empty()) {
            (job.*member).clear();  // Most of a row, and much cheaper than to assign it.
        } else {
            (job.*member).assign(text);
        }
    }
    void operator()(int Job::*member) const {
        if (!row.is_null(column)) {
            job.*member = static_cast<int>(require_countable(row.integer(column), most));
        }
    }
    void operator()(std::int64_t Job::*member) const {
        if (!row.is_null(column)) {
            job.*member = row.integer(column);
        }
    }
    void operator()(bool Job::*member) const {
        if (!row.is_null(column)) {
            job.*member = row.boolean(column);
        }
    }
    void operator()(std::optional<schema::TimePoint> Job::*member) const {
        job.*member = row.time(column);
    }
};

void complain(Job& job, const std::string& complaint) {
    const std::string before = std::exchange(job.exception_message, {});
    job.exception_message = schema::first_characters(
        before.empty() ? complaint : fmt::format("{}; {}", complaint, before),
        schema::limits::kExceptionMessageLength
    );
}

/// `job` has the values of a new one. Returns whether all columns could be read.
bool read_into(Job& job, const Row& row, JobPlace place, std::int64_t most) {
    if (place == JobPlace::dead_letter) {
        job.retries = 0;
    }
    const std::vector<RowField>& fields = known_layout_of(place).fields;
    const std::string complaint = read_columns(fields, [&](std::size_t column) {
        std::visit(ReadColumn{row, column, job, most}, fields[column].member);
    });
    if (complaint.empty()) {
        return true;
    }
    complain(job, complaint);
    return false;
}

}  // namespace

std::span<const RowField> fields_of(JobPlace place) {
    return known_layout_of(place).fields;
}

NewRows new_rows_of(JobPlace place) {
    const Layout& layout = known_layout_of(place);
    return {
        .table = schema::table_of(place),
        .columns = layout.names,
        .with_default = layout.with_default,
    };
}

std::string_view columns_of(JobPlace place) {
    return known_layout_of(place).columns;
}

std::string_view selected_of(JobPlace place, const Dialect& dialect) {
    const Layout& layout = known_layout_of(place);
    return dialect.has_engine ? layout.selected_beside_engine : layout.columns;
}

void append_row(std::vector<Value>& values, JobPlace place, const Job& job) {
    for (const RowField& field : fields_of(place)) {
        values.push_back(std::visit(ValueOf{job, field.is_null_when_empty}, field.member));
    }
}

Job read_job(const Row& row, JobPlace place) {
    Job job;
    (void)read_into(job, row, place, kMostOnTheWay);
    return job;
}

RowReader append_to(std::vector<Job>& jobs, JobPlace place) {
    // In place: to move a job is to move two dozen texts.
    return [&jobs, place](const Row& row) {
        (void)read_into(jobs.emplace_back(), row, place, kMostOnTheWay);
    };
}

RowReader append_to(JobRows& rows, JobPlace place) {
    return [&rows, place](const Row& row) {
        const bool is_bytes = row.is_bytes(0);
        Job& job = rows.jobs.emplace_back();
        const bool is_readable = read_into(job, row, place, kMostAtFirst);
        const bool has_name = !is_bytes && !job.id.empty();  // Not asked of the row a second time.
        if (is_readable && has_name) {
            return;
        }
        rows.is_any_nameless = rows.is_any_nameless || !has_name;
        if (has_name) {
            rows.unreadable.push_back(std::move(job));
        }
        rows.jobs.pop_back();
    };
}

bool is_nameless(const Row& row) {
    return row.is_bytes(0) || row.text(0).empty();
}

bool is_stored_apart(const Job& job) {
    return !job.custom_values_id.empty() && is_too_long_for_row(job.payload);
}

bool is_too_long_for_row(std::string_view payload) {
    // A text with no more bytes than that cannot have more characters.
    if (payload.size() <= schema::limits::kInlinePayloadLength) {
        return false;
    }
    const auto characters = std::count_if(payload.begin(), payload.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    });
    return static_cast<std::size_t>(characters) > schema::limits::kInlinePayloadLength;
}

void sort_by_id(std::vector<Job>& jobs) {
    std::vector<Job*> order;
    order.reserve(jobs.size());
    for (Job& job : jobs) {
        order.push_back(&job);
    }
    std::ranges::sort(order, {}, &Job::id);
    std::vector<Job> sorted;
    sorted.reserve(jobs.size());
    for (Job* const job : order) {
        sorted.push_back(std::move(*job));
    }
    jobs = std::move(sorted);
}

namespace {

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
    const Query query{.sql = sql, .columns = fields_of(place).size()};
    query_for_ids(transaction, query, {.ids = possible}, read);
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
    const std::string sql = delete_from(transaction.dialect(), schema::table_of(place), kDelete);
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

namespace {

constexpr std::string_view kFind = R"sql(
    SELECT 'executable', ID_ FROM ACT_RU_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'timer', ID_ FROM ACT_RU_TIMER_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'suspended', ID_ FROM ACT_RU_SUSPENDED_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'dead', ID_ FROM ACT_RU_DEADLETTER_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'external', ID_ FROM ACT_RU_EXTERNAL_JOB WHERE ID_ IN (...))sql";

/// `is_enough` is asked after each few hundred ids.
template <typename Session>
std::vector<JobAddress> find_in(
    Session& session,
    std::span<const std::string_view> ids,
    const std::predicate<const std::vector<JobAddress>&> auto& is_enough
) {
    std::vector<JobAddress> found;
    const std::vector<std::string_view> possible = possible_ids(ids, session.dialect());
    for (const auto& [sql, parameters] : cut_id_list(kFind, {.ids = possible})) {
        session.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
            found.push_back(
                {.id = std::string(row.text(1)), .place = *schema::place_named(row.text(0))}
            );
        });
        if (is_enough(found)) {
            break;
        }
    }
    return found;
}

template <typename Session>
std::optional<JobAddress> find_any_in(Session& session, std::span<const std::string_view> ids) {
    std::vector<JobAddress> found =
        find_in(session, ids, [](const auto& so_far) { return !so_far.empty(); });
    return found.empty() ? std::nullopt : std::optional(std::move(found.back()));
}

}  // namespace

std::optional<JobAddress>
find_any(Transaction& transaction, std::span<const std::string_view> ids) {
    return find_any_in(transaction, ids);
}

std::optional<JobAddress> find_any(Connection& connection, std::span<const std::string_view> ids) {
    return find_any_in(connection, ids);
}

std::vector<JobAddress> find_all(Transaction& transaction, std::span<const std::string_view> ids) {
    return find_in(transaction, ids, [](const auto&) { return false; });
}

}  // namespace jobstrand::persistence
