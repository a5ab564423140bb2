#include "persistence/batches/plain_moves.hpp"

#include "persistence/history/history_book.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/job_events.hpp"
#include "schema/job_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::BatchOperation;
using schema::BatchOrder;
using schema::Job;
using schema::JobEvent;
using schema::JobPlace;

// REV_ must be countable, as for every row that is read.
constexpr std::string_view kPlainRequeue =
    "COALESCE(REPEAT_, '') = '' AND COALESCE(SERIES_, '') = '' AND COALESCE(UNIQUE_KEY_, '') = '' "
    "AND TYPE_ IN ('{message}', '{timer}') AND COALESCE(REV_, 0) BETWEEN 1 AND {most}";

constexpr std::string_view kPlainRemoval =
    "COALESCE(REPEAT_, '') = '' AND COALESCE(SERIES_, '') = '' AND COALESCE(UNIQUE_KEY_, '') = '' "
    "AND EXCEPTION_STACK_ID_ IS NULL AND CUSTOM_VALUES_ID_ IS NULL";

constexpr std::string_view kPlainChange = "COALESCE(REV_, 0) BETWEEN 1 AND {most}";

constexpr std::string_view kUnlocked = " AND LOCK_EXP_TIME_ IS NULL";

/// Each job that leaves is a line of its own in the job log.
[[nodiscard]] bool is_logged(BatchOperation operation, schema::JobLogLevel level) {
    switch (operation) {
        case BatchOperation::requeue:
            return schema::is_logged(JobEvent::requeued, level);
        case BatchOperation::remove:
            return schema::is_logged(JobEvent::deleted, level);
        case BatchOperation::change:
            break;
    }
    return false;
}

}  // namespace

std::string plain_condition(
    Transaction& transaction,
    const StoreContext& context,
    const schema::BatchOrder& order
) {
    const bool is_one_for_all = order.cause.empty() && order.spread == schema::Duration{0};
    const Dialect& dialect = transaction.dialect();
    if (dialect.has_texts_for_times || dialect.has_engine || !is_one_for_all ||
        is_logged(order.operation, context.history.rules().job_log)) {
        return std::string(kNoRow);
    }
    if (order.place == schema::JobPlace::executable && is_any_claimed(transaction)) {
        return std::string(kNoRow);
    }
    const std::string unlocked(schema::has_lock(order.place) ? kUnlocked : "");
    switch (order.operation) {
        case BatchOperation::requeue:
            return is_anything_suspended(transaction)
                       ? std::string(kNoRow)
                       : fmt::format(
                             kPlainRequeue,
                             fmt::arg("message", schema::kMessageType),
                             fmt::arg("timer", schema::kTimerType),
                             fmt::arg("most", kMostToCount)
                         );
        case BatchOperation::remove:
            return std::string(kPlainRemoval) + unlocked;
        case BatchOperation::change:
            break;
    }
    // Who sets the retries to 0 gives the job up, and a due date is one for its series as well.
    const bool moves = order.retries.value_or(1) <= 0 || order.due_date;
    return moves ? std::string(kNoRow)
                 : fmt::format(kPlainChange, fmt::arg("most", kMostToCount)) + unlocked;
}

namespace {

constexpr std::string_view kRange = "ID_ > ? AND ID_ <= ? AND {meant} AND {plain}";

constexpr std::string_view kCopyRange = R"sql(
    INSERT INTO {to} ({columns})
    SELECT {values}
    FROM {from} {by_id}
    WHERE {range})sql";

constexpr std::string_view kDeleteRange = R"sql({delete_where} {range})sql";

constexpr std::string_view kUpdateRange = R"sql(
    UPDATE {table} {by_id}
    SET {assignments}, REV_ = REV_ + 1
    WHERE {range})sql";

constexpr std::string_view kIdsInRange = "SELECT ID_ FROM {from} {by_id} WHERE {range}";

[[nodiscard]] BoundStatement range_of(const PlainRows& rows) {
    BoundStatement range{
        .sql = fmt::format(
            kRange, fmt::arg("meant", rows.meant.sql), fmt::arg("plain", rows.condition)
        ),
        .parameters = {rows.behind, rows.last}};
    range.parameters.insert(
        range.parameters.end(), rows.meant.parameters.begin(), rows.meant.parameters.end()
    );
    return range;
}

/// The values that a requeued job has in the columns of its new place: see schema::requeued.
[[nodiscard]] BoundStatement requeued_values(
    const BatchOrder& order,
    JobPlace to,
    const Dialect& dialect,
    schema::TimePoint now
) {
    BoundStatement values;
    const auto add = [&](std::string_view text) {
        values.sql += values.sql.empty() ? "" : ", ";
        values.sql += text;
    };
    for (const RowField& field : fields_of(to)) {
        const schema::JobField& known = schema::field_of(field.member);
        if (known.is_about(&Job::revision)) {
            add("REV_ + 1");
        } else if (known.is_about(&Job::retries)) {
            add("?");
            values.parameters.emplace_back(std::int64_t{order.retries.value_or(1)});
        } else if (known.is_about(&Job::due_date)) {
            add("?");
            values.parameters.emplace_back(
                std::min(order.due_date.value_or(now), dialect.latest_time)
            );
        } else if (!known.is_in(JobPlace::dead_letter)) {
            add(known.column.required ? known.column.default_value : "NULL");
        } else {
            add(known.column.name);
        }
    }
    return values;
}

[[nodiscard]] JobPlace place_of_requeued(const BatchOrder& order, schema::TimePoint now) {
    return order.due_date && *order.due_date > now ? JobPlace::timer : JobPlace::executable;
}

void require_count(std::int64_t found, const PlainRows& rows) {
    if (found != static_cast<std::int64_t>(rows.ids.size())) {
        throw DbError(
            DbErrorKind::conflict,
            fmt::format("{} of {} rows of a batch were found again", found, rows.ids.size())
        );
    }
}

void delete_range(Transaction& transaction, JobPlace from, const PlainRows& rows) {
    const BoundStatement range = range_of(rows);
    const std::string sql = fmt::format(
        kDeleteRange,
        fmt::arg("delete_where", delete_where(transaction.dialect(), schema::table_of(from))),
        fmt::arg("range", range.sql)
    );
    require_count(transaction.execute(sql, range.parameters), rows);
}

void requeue_range(
    Transaction& transaction,
    const BatchOrder& order,
    const PlainRows& rows,
    schema::TimePoint now
) {
    const Dialect& dialect = transaction.dialect();
    const JobPlace to = place_of_requeued(order, now);
    const BoundStatement range = range_of(rows);
    BoundStatement values = requeued_values(order, to, dialect, now);
    const std::string sql = fmt::format(
        kCopyRange,
        fmt::arg("to", schema::table_of(to)),
        fmt::arg("columns", columns_of(to)),
        fmt::arg("values", values.sql),
        fmt::arg("from", schema::table_of(order.place)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("range", range.sql)
    );
    values.parameters.insert(
        values.parameters.end(), range.parameters.begin(), range.parameters.end()
    );
    if (to == JobPlace::executable) {
        transaction.announce_jobs();
    }
    require_count(transaction.execute(sql, values.parameters), rows);
    delete_range(transaction, order.place, rows);
}

void change_range(Transaction& transaction, const BatchOrder& order, const PlainRows& rows) {
    std::string assignments = schema::has_lock(order.place) ? "LOCK_OWNER_ = NULL" : "";
    std::vector<Value> parameters;
    const auto set = [&](const schema::JobMember& member, std::int64_t number) {
        assignments += assignments.empty() ? "" : ", ";
        assignments += fmt::format("{} = ?", schema::field_of(member).column.name);
        parameters.emplace_back(number);
    };
    if (order.retries) {
        set(&Job::retries, *order.retries);
    }
    if (order.priority) {
        set(&Job::priority, *order.priority);
    }
    const BoundStatement range = range_of(rows);
    parameters.insert(parameters.end(), range.parameters.begin(), range.parameters.end());
    const std::string sql = fmt::format(
        kUpdateRange,
        fmt::arg("table", schema::table_of(order.place)),
        fmt::arg("by_id", transaction.dialect().by_id),
        fmt::arg("assignments", assignments),
        fmt::arg("range", range.sql)
    );
    require_count(transaction.execute(sql, parameters), rows);
}

/// While the dead letters still stand in their place, by which theirs are found.
void close_incidents_of_range(
    Transaction& transaction,
    const StoreContext& context,
    const BatchOrder& order,
    const PlainRows& rows,
    schema::TimePoint now
) {
    BoundStatement jobs = range_of(rows);
    jobs.sql = fmt::format(
        kIdsInRange,
        fmt::arg("from", schema::table_of(order.place)),
        fmt::arg("by_id", transaction.dialect().by_id),
        fmt::arg("range", jobs.sql)
    );
    const bool is_removal = order.operation == BatchOperation::remove;
    close_incidents_in(
        transaction,
        context.history,
        {.behind = rows.behind, .last = rows.last, .jobs = std::move(jobs)},
        is_removal ? IncidentEnd::removed : IncidentEnd::requeued,
        now
    );
}

}  // namespace

void change_plain(
    Transaction& transaction,
    const StoreContext& context,
    const BatchOrder& order,
    const PlainRows& rows,
    schema::TimePoint now
) {
    if (rows.ids.empty()) {
        return;
    }
    require_storable(order.due_date, transaction.dialect());
    const bool leaves = order.operation != BatchOperation::change;
    if (leaves && order.place == JobPlace::dead_letter && context.history.rules().incidents) {
        close_incidents_of_range(transaction, context, order, rows, now);
    }
    switch (order.operation) {
        case BatchOperation::requeue:
            requeue_range(transaction, order, rows, now);
            break;
        case BatchOperation::remove:
            delete_range(transaction, order.place, rows);
            break;
        case BatchOperation::change:
            change_range(transaction, order, rows);
            break;
    }
}

}  // namespace jobstrand::persistence
