#include "persistence/series/series_table.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/text/time_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>

namespace jobstrand::persistence {

using schema::Series;
using schema::SeriesState;

namespace {

using SeriesMember = std::variant<
    std::string Series::*,
    bool Series::*,
    int Series::*,
    std::int64_t Series::*,
    std::optional<std::int64_t> Series::*,
    std::optional<schema::Duration> Series::*,
    std::optional<schema::TimePoint> Series::*,
    SeriesState Series::*>;

/// What a text says of the turns of a series (R3/PT10H), and what is left of it, are of this kind.
constexpr std::int64_t kMostTurns = std::numeric_limits<int>::max();

/// Turns that have been fired, and milliseconds before now: sums with them do not overflow.
constexpr std::int64_t kMostLarge = 1'000'000'000'000'000;

/// Of a number that nobody counts with.
constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();

struct SeriesField {
    std::string_view column;
    SeriesMember member;
    bool is_null_when_empty = true;  ///< Of a text.
    std::int64_t most = kMostLarge;  ///< Of a number of 64 bits.
    bool is_progress = false;        ///< Each turn changes it.
};

consteval SeriesField progress(std::string_view column, SeriesMember member) {
    return {.column = column, .member = member, .is_progress = true};
}

constexpr std::array kFields{
    SeriesField{"ID_", &Series::key, false},
    SeriesField{"GROUP_", &Series::group, false},
    SeriesField{"DESCRIPTION_", &Series::description},
    SeriesField{"HANDLER_TYPE_", &Series::handler_type},
    SeriesField{"REPEAT_", &Series::repeat},
    SeriesField{"ZONE_", &Series::zone, false},
    SeriesField{"DST_RULE_", &Series::dst_rule, false},
    SeriesField{"CALENDAR_", &Series::calendar},
    SeriesField{"MISFIRE_", &Series::misfire},
    SeriesField{"MISFIRE_THRESHOLD_", &Series::misfire_threshold},
    SeriesField{"START_", &Series::start},
    SeriesField{"END_", &Series::end},
    SeriesField{"OVERLAP_", &Series::overlap},
    SeriesField{"KEEP_DATA_", &Series::keep_data},
    SeriesField{"RECOVERY_", &Series::recovery},
    SeriesField{"STOP_ON_DEAD_LETTER_", &Series::stop_on_dead_letter},
    SeriesField{"RETRIES_", &Series::retries},
    SeriesField{"TOTAL_TURNS_", &Series::total_turns},
    progress("TURNS_TAKEN_", &Series::turns_taken),
    progress("FIRE_COUNT_", &Series::fire_count),
    progress("PREVIOUS_FIRE_", &Series::previous_fire),
    progress("NEXT_FIRE_", &Series::next_fire),
    progress("STATE_", &Series::state),
    progress("TURN_ID_", &Series::turn_id),
    SeriesField{"CREATE_TIME_", &Series::create_time},
    SeriesField{.column = "PRIORITY_", .member = &Series::priority, .most = kAnyNumber},
    SeriesField{"RETRY_CYCLE_", &Series::retry_cycle},
    SeriesField{"ROOT_PROC_INST_ID_", &Series::root_process_instance_id},
};

constexpr std::array<std::string_view, kFields.size()> kColumns = [] {
    std::array<std::string_view, kFields.size()> columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        columns[i] = kFields[i].column;
    }
    return columns;
}();

constexpr bool is_of_progress(const SeriesField& field) {
    return field.is_progress || field.column == "ID_";
}

constexpr auto kProgressColumns = [] {
    constexpr auto kCount = std::ranges::count_if(kFields, is_of_progress);
    std::array<std::string_view, kCount> columns;
    std::size_t count = 0;
    for (const SeriesField& field : kFields) {
        if (is_of_progress(field)) {
            columns[count++] = field.column;
        }
    }
    return columns;
}();

/// One value of a row: a visitor for the kinds of members.
struct SeriesValue {
    const Series& series;
    bool is_null_when_empty;

    Value operator()(std::string Series::*member) const {
        return is_null_when_empty ? text_or_null(series.*member)
                                  : Value{std::string_view(series.*member)};
    }
    Value operator()(bool Series::*member) const { return series.*member; }
    Value operator()(int Series::*member) const { return std::int64_t{series.*member}; }
    Value operator()(std::int64_t Series::*member) const { return series.*member; }
    Value operator()(std::optional<std::int64_t> Series::*member) const {
        return series.*member ? Value{*(series.*member)} : Value{};
    }
    Value operator()(std::optional<schema::Duration> Series::*member) const {
        return series.*member ? Value{std::int64_t{(series.*member)->count()}} : Value{};
    }
    Value operator()(std::optional<schema::TimePoint> Series::*member) const {
        return time_or_null(series.*member);
    }
    Value operator()(SeriesState Series::*member) const { return schema::name_of(series.*member); }
};

/// Reads one column that is not NULL into a series that still has its defaults: a visitor for the
/// kinds of members.
struct ReadSeriesColumn {
    const Row& row;
    std::size_t column;
    Series& series;

    [[nodiscard]] std::int64_t number(std::int64_t most) const {
        return require_countable(row.integer(column), most);
    }

    void operator()(std::string Series::*member) const {
        (series.*member).assign(row.text(column));
    }
    void operator()(bool Series::*member) const { series.*member = row.boolean(column); }
    void operator()(int Series::*member) const {
        series.*member = static_cast<int>(number(kMostToCount));
    }
    void operator()(std::int64_t Series::*member) const {
        const std::int64_t most = kFields[column].most;
        series.*member = most == kAnyNumber ? row.integer(column) : number(most);
    }
    void operator()(std::optional<std::int64_t> Series::*member) const {
        series.*member = number(kMostTurns);
    }
    void operator()(std::optional<schema::Duration> Series::*member) const {
        series.*member = schema::Duration{std::max(row.integer(column), -kMostLarge)};
    }
    void operator()(std::optional<schema::TimePoint> Series::*member) const {
        series.*member = row.time(column);
    }
    void operator()(SeriesState Series::*member) const {
        const auto state = schema::series_state_named(row.text(column));
        if (!state) {
            throw unreadable_value(row.text(column), "the state of a series");
        }
        series.*member = *state;
    }
};

}  // namespace

std::string series_columns(std::string_view prefix) {
    std::string columns;
    for (const std::string_view column : kColumns) {
        columns += columns.empty() ? "" : ", ";
        columns += prefix;
        columns += column;
    }
    return columns;
}

std::span<const std::string_view> series_column_names() {
    return kColumns;
}

std::size_t series_column_count() {
    return kColumns.size();
}

void append_series_row(std::vector<Value>& values, const Series& series) {
    for (const SeriesField& field : kFields) {
        values.push_back(std::visit(SeriesValue{series, field.is_null_when_empty}, field.member));
    }
}

std::span<const std::string_view> series_progress_columns() {
    return kProgressColumns;
}

void append_series_progress(std::vector<Value>& values, const Series& series) {
    for (const SeriesField& field : kFields) {
        if (is_of_progress(field)) {
            values.push_back(std::visit(SeriesValue{series, field.is_null_when_empty}, field.member)
            );
        }
    }
}

bool do_only_turns_differ(const Series& one, const Series& other) {
    return std::ranges::all_of(kFields, [&](const SeriesField& field) {
        return field.is_progress ||
               std::visit(
                   [&](const auto member) { return one.*member == other.*member; }, field.member
               );
    });
}

SeriesRow read_series_row(const Row& row) {
    SeriesRow read;
    read.complaint = read_columns(kFields, [&](std::size_t column) {
        if (!row.is_null(column)) {
            std::visit(ReadSeriesColumn{row, column, read.series}, kFields[column].member);
        }
    });
    return read;
}

namespace {

constexpr std::string_view kInsert = R"sql(INSERT INTO JS_SERIES ({columns}) VALUES {rows})sql";

constexpr std::string_view kInsertOrUpdate = R"sql(
    INSERT INTO JS_SERIES ({columns}) VALUES {rows}
    {on_existing} {assignments})sql";

constexpr std::string_view kLock = R"sql(
    SELECT {columns}
    FROM JS_SERIES {by_id}
    WHERE ID_ IN (...)
    ORDER BY ID_
    {for_update})sql";

// Shared with other readers, but not with who changes one: the turns that are computed here either
// wait for the change, or the change finds them.
constexpr std::string_view kCalendars = R"sql(
    SELECT ID_, TEXT_
    FROM JS_CALENDAR
    ORDER BY ID_
    {for_share})sql";

/// Rows of one statement.
constexpr std::array<std::size_t, 3> kRowsPerStatement{32, 8, 1};

/// Some columns of the table, the key first, and what a series has in them.
struct WrittenColumns {
    std::span<const std::string_view> names;
    void (*append)(std::vector<Value>& values, const Series& series);
};

WrittenColumns all_columns() {
    return {series_column_names(), append_series_row};
}

std::string placeholder_rows(std::size_t rows, std::size_t columns) {
    std::string all;
    for (std::size_t row = 0; row < rows; ++row) {
        all += row == 0 ? "(?" : ", (?";
        for (std::size_t column = 1; column < columns; ++column) {
            all += ", ?";
        }
        all += ')';
    }
    return all;
}

/// One that somebody else's SQL wrote may be no integer, or the last one that the column holds.
constexpr std::string_view kRaiseRevision =
    "REV_ = CASE WHEN JS_SERIES.REV_ < 2000000000 THEN JS_SERIES.REV_ + 1 ELSE 1 END";

/// `X_ = excluded.X_, ...` for all columns but the key.
std::string assignments(const Dialect& dialect, std::span<const std::string_view> columns) {
    std::string all;
    for (const std::string_view column : columns.subspan(1)) {
        all += all.empty() ? "" : ", ";
        all += column;
        all += " = ";
        all += fmt::format(fmt::runtime(dialect.new_value), column);
    }
    return fmt::format("{}, {}", all, kRaiseRevision);
}

void write_rows(
    Transaction& transaction,
    std::string_view sql,
    const WrittenColumns& columns,
    std::span<const Series> series
) {
    const Dialect& dialect = transaction.dialect();
    in_parts(series, kRowsPerStatement, [&](std::span<const Series> part) {
        std::vector<Value> values;
        for (const Series& one : part) {
            columns.append(values, one);
        }
        const std::string text = fmt::format(
            fmt::runtime(sql),
            fmt::arg("columns", fmt::join(columns.names, ", ")),
            fmt::arg("rows", placeholder_rows(part.size(), columns.names.size())),
            fmt::arg("on_existing", on_existing(dialect, "ID_")),
            fmt::arg("assignments", assignments(dialect, columns.names))
        );
        transaction.execute(text, values);
    });
}

}  // namespace

void insert_series(Transaction& transaction, std::span<const Series> series) {
    write_rows(transaction, kInsert, all_columns(), series);
}

SeriesByKey series_for_update(Transaction& transaction, std::span<const std::string_view> keys) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("columns", series_columns()),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("for_update", dialect.for_update)
    );
    SeriesByKey found;
    const Query query{.sql = sql, .columns = series_column_count()};
    query_for_ids(transaction, query, {.ids = keys}, [&](const Row& row) {
        SeriesRow read = read_series_row(row);
        found.emplace(read.series.key, std::move(read));
    });
    return found;
}

std::optional<Series> series_for_update(Transaction& transaction, std::string_view key) {
    SeriesByKey found = series_for_update(transaction, std::span(&key, 1));
    return found.empty() ? std::nullopt : std::optional(std::move(found.begin()->second.series));
}

void update_series(Transaction& transaction, std::span<const Series> series) {
    write_rows(transaction, kInsertOrUpdate, all_columns(), series);
}

void update_progress(Transaction& transaction, std::span<const Series> series) {
    const WrittenColumns columns{series_progress_columns(), append_series_progress};
    write_rows(transaction, kInsertOrUpdate, columns, series);
}

schema::CalendarTexts read_calendars(Transaction& transaction) {
    schema::CalendarTexts calendars;
    const std::string sql =
        fmt::format(kCalendars, fmt::arg("for_share", transaction.dialect().for_share));
    transaction.query({.sql = sql, .columns = 2}, {}, [&](const Row& row) {
        calendars.emplace(row.text(0), row.text(1));
    });
    return calendars;
}

bool is_storable(const Series& series, const Dialect& dialect) {
    constexpr schema::TimePoint kFirst = schema::kEarliestInstant + std::chrono::days{1};
    for (const auto& time : {series.start, series.end, series.next_fire}) {
        if (time && (*time < kFirst || *time > dialect.latest_time)) {
            return false;
        }
    }
    return true;
}

void require_storable(const Series& series, const Dialect& dialect) {
    if (!is_storable(series, dialect)) {
        throw std::invalid_argument(fmt::format(
            "the series \"{}\" begins, ends or is due outside of 1970-01-02 to {}, which {} holds",
            series.key,
            schema::format_instant(dialect.latest_time),
            dialect.name
        ));
    }
}

std::string describe(const schema::ParseError& error, const Series& series) {
    return error.position == 0 ? fmt::format("repeat \"{}\": {}", series.repeat, error.message)
                               : fmt::format(
                                     "repeat \"{}\" at position {}: {}",
                                     series.repeat,
                                     error.position,
                                     error.message
                                 );
}

}  // namespace jobstrand::persistence
