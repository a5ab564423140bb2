#include "persistence/jobs/locked_rows.hpp"

#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/sql_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

// One row about a part of the table, so that a part without an expired lock costs one statement.
// There is no index on the locks: each claim would have to write it.
constexpr std::string_view kPart = R"sql(
    SELECT MAX(ID_), COUNT(*), MIN(LOCK_EXP_TIME_), MAX(LOCK_EXP_TIME_), MIN(ID_)
    FROM (
        SELECT ID_, LOCK_EXP_TIME_
        FROM {table} {by_id}
        WHERE {behind}
        ORDER BY ID_
        LIMIT ?
    ) part)sql";

constexpr std::string_view kLocked = R"sql(
    SELECT ID_, SERIES_, REV_, LOCK_EXP_TIME_
    FROM {table} {by_id}
    WHERE {behind} AND ID_ <= ? AND LOCK_EXP_TIME_ IS NOT NULL {and_ours}
    ORDER BY ID_)sql";

constexpr std::string_view kLockedBy = R"sql(
    SELECT ID_, SERIES_, REV_, LOCK_EXP_TIME_
    FROM {table}
    WHERE LOCK_OWNER_ IN (...)
    ORDER BY ID_)sql";

constexpr std::string_view kLockedTimers = R"sql(
    SELECT ID_, SERIES_, REV_, LOCK_EXP_TIME_
    FROM (
        SELECT ID_, SERIES_, REV_, LOCK_EXP_TIME_
        FROM ACT_RU_TIMER_JOB {by_due_date}
        WHERE DUEDATE_ <= ? {and_ours}
        ORDER BY DUEDATE_
        LIMIT ?
    ) part
    WHERE LOCK_EXP_TIME_ IS NOT NULL)sql";

/// No lock of a node lasts for so long; marks of those that wait do.
constexpr schema::Duration kNearlyNever = std::chrono::hours(24 * 365);

/// nullopt: it is NULL, or unreadable.
struct LockTime {
    std::optional<schema::TimePoint> time;
    bool is_readable = true;
};

LockTime lock_time_in(const Row& row, std::size_t column) {
    if (row.is_null(column)) {
        return {};
    }
    const auto time = parse_sql_time(row.text(column));
    return {.time = time, .is_readable = time.has_value()};
}

/// Whether REV_ can be raised.
bool has_sound_revision(const Row& row, std::size_t column) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
    // Defended catch: see read_job.
    try {
        return row.integer(column) <= kMost;
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::unreadable) {
            throw;
        }
        return false;
    }
}

/// Puts each row of a SELECT to those that it belongs to.
RowReader sort_into(PartRead& part, schema::TimePoint now) {
    return [&part, now](const Row& row) {
        const bool is_bytes = row.is_bytes(0);
        LockedRow locked{.id = std::string(row.text(0)), .series = std::string(row.text(1))};
        const LockTime expiry = lock_time_in(row, 3);
        if (is_bytes || locked.id.empty()) {
            part.is_any_nameless = true;
        } else if (!expiry.is_readable || !has_sound_revision(row, 2)) {
            part.unreadable.push_back(std::move(locked));
        } else if (expiry.time && *expiry.time < now) {
            part.expired.push_back(std::move(locked));
        }
    };
}

}  // namespace

PartRead read_part(Connection& connection, JobPlace place, const LockSearch& search) {
    const Dialect& dialect = connection.dialect();
    const auto with_bounds = [&](std::string_view sql) {
        return fmt::format(
            fmt::runtime(sql),
            fmt::arg("table", schema::table_of(place)),
            fmt::arg("by_id", dialect.by_id),
            fmt::arg("behind", ids_behind(search.after)),
            fmt::arg("and_ours", and_ours(dialect))
        );
    };
    PartRead part;
    std::string last;
    std::size_t count = 0;
    bool is_any_due = false;
    const std::array<Value, 2> bounds{search.after, static_cast<std::int64_t>(search.rows)};
    connection.query({.sql = with_bounds(kPart), .columns = 5}, bounds, [&](const Row& row) {
        part.is_any_nameless = row.is_bytes(0);
        last = row.text(0);
        part.first = row.text(4);
        count = static_cast<std::size_t>(row.integer(1));
        const LockTime first = lock_time_in(row, 2);
        // Texts that are no times stand before all times, or behind them.
        is_any_due = !first.is_readable || (first.time && *first.time < search.now) ||
                     !lock_time_in(row, 3).is_readable;
        part.do_any_wait = lock_time_in(row, 3).time > search.now + kNearlyNever;
    });
    if (is_any_due && !part.is_any_nameless) {
        const std::array<Value, 2> parameters{search.after, std::string_view(last)};
        connection.query(
            {.sql = with_bounds(kLocked), .columns = 4}, parameters, sort_into(part, search.now)
        );
    }
    if (count == search.rows && !part.is_any_nameless) {
        part.end = last;
    }
    part.last = std::move(last);
    return part;
}

PartRead read_locks_of_owners(Connection& connection, JobPlace place, const LockSearch& search) {
    const std::string sql = fmt::format(kLockedBy, fmt::arg("table", schema::table_of(place)));
    const std::vector<std::string_view> owners(search.owners.begin(), search.owners.end());
    PartRead part;
    for (const auto& [text, values] : cut_id_list(sql, {.ids = owners})) {
        connection.query({.sql = text, .columns = 4}, values, sort_into(part, search.now));
    }
    return part;
}

PartRead read_due_timers(Connection& connection, const LockSearch& search) {
    const std::string sql = fmt::format(
        kLockedTimers,
        fmt::arg("by_due_date", by_index(connection.dialect(), "JS_IDX_TIMER_DUE")),
        fmt::arg("and_ours", and_ours(connection.dialect()))
    );
    const std::array<Value, 2> parameters{search.now, static_cast<std::int64_t>(search.rows)};
    PartRead part;
    connection.query({.sql = sql, .columns = 4}, parameters, sort_into(part, search.now));
    std::ranges::sort(part.expired, {}, &LockedRow::id);
    std::ranges::sort(part.unreadable, {}, &LockedRow::id);
    return part;
}

}  // namespace jobstrand::persistence
