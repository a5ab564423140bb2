#include "persistence/series_table.hpp"

#include "persistence/dialect.hpp"
#include "persistence/due_date_range.hpp"
#include "persistence/id_lists.hpp"
#include "schema/iso8601.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace jobstrand::persistence {

namespace {

using schema::Series;

constexpr std::string_view kInsert = R"sql(INSERT INTO JS_SERIES ({columns}) VALUES {rows})sql";

constexpr std::string_view kInsertOrUpdate = R"sql(
    INSERT INTO JS_SERIES ({columns}) VALUES {rows}
    {on_existing_id} {assignments})sql";

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

/// In the order of append_row and read_series_row.
constexpr std::array<std::string_view, 25> kColumns{"ID_",
                                                    "GROUP_",
                                                    "DESCRIPTION_",
                                                    "HANDLER_TYPE_",
                                                    "REPEAT_",
                                                    "ZONE_",
                                                    "DST_RULE_",
                                                    "CALENDAR_",
                                                    "MISFIRE_",
                                                    "MISFIRE_THRESHOLD_",
                                                    "START_",
                                                    "END_",
                                                    "OVERLAP_",
                                                    "KEEP_DATA_",
                                                    "RECOVERY_",
                                                    "STOP_ON_DEAD_LETTER_",
                                                    "RETRIES_",
                                                    "TOTAL_TURNS_",
                                                    "TURNS_TAKEN_",
                                                    "FIRE_COUNT_",
                                                    "PREVIOUS_FIRE_",
                                                    "NEXT_FIRE_",
                                                    "STATE_",
                                                    "TURN_ID_",
                                                    "CREATE_TIME_"};

/// Rows of one statement.
constexpr std::array<std::size_t, 3> kRowsPerStatement{32, 8, 1};

void append_row(std::vector<Value>& values, const Series& series) {
    const auto number_or_null = [](const auto& number) {
        return number ? Value{std::int64_t{*number}} : Value{};
    };
    const auto threshold = series.misfire_threshold
                               ? std::optional(std::int64_t{series.misfire_threshold->count()})
                               : std::nullopt;
    values.insert(
        values.end(),
        {
            Value{series.key},
            Value{series.group},
            text_or_null(series.description),
            text_or_null(series.handler_type),
            text_or_null(series.repeat),
            Value{series.zone},
            Value{series.dst_rule},
            text_or_null(series.calendar),
            text_or_null(series.misfire),
            number_or_null(threshold),
            time_or_null(series.start),
            time_or_null(series.end),
            Value{series.overlap},
            Value{series.keep_data},
            Value{series.recovery},
            Value{series.stop_on_dead_letter},
            Value{std::int64_t{series.retries}},
            number_or_null(series.total_turns),
            Value{series.turns_taken},
            Value{series.fire_count},
            time_or_null(series.previous_fire),
            time_or_null(series.next_fire),
            Value{schema::name_of(series.state)},
            text_or_null(series.turn_id),
            time_or_null(series.create_time),
        }
    );
}

std::string placeholder_rows(std::size_t rows) {
    std::string all;
    for (std::size_t row = 0; row < rows; ++row) {
        all += row == 0 ? "(?" : ", (?";
        for (std::size_t column = 1; column < kColumns.size(); ++column) {
            all += ", ?";
        }
        all += ')';
    }
    return all;
}

/// `X_ = excluded.X_, ...` for all columns but the key.
std::string assignments(const Dialect& dialect) {
    std::string all;
    for (const std::string_view column : std::span(kColumns).subspan(1)) {
        all += all.empty() ? "" : ", ";
        all += column;
        all += " = ";
        all += fmt::format(fmt::runtime(dialect.new_value), column);
    }
    return all + ", REV_ = JS_SERIES.REV_ + 1";
}

void write_rows(Transaction& transaction, std::string_view sql, std::span<const Series> series) {
    const Dialect& dialect = dialect_of(transaction.kind());
    for (auto rest = series; !rest.empty();) {
        std::size_t rows = 1;
        for (const std::size_t size : kRowsPerStatement) {
            if (size <= rest.size()) {
                rows = size;
                break;
            }
        }
        std::vector<Value> values;
        for (const Series& one : rest.first(rows)) {
            append_row(values, one);
        }
        const std::string text = fmt::format(
            fmt::runtime(sql),
            fmt::arg("columns", series_columns()),
            fmt::arg("rows", placeholder_rows(rows)),
            fmt::arg("on_existing_id", dialect.on_existing_id),
            fmt::arg("assignments", assignments(dialect))
        );
        transaction.execute(text, values);
        rest = rest.subspan(rows);
    }
}

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

std::size_t series_column_count() {
    return kColumns.size();
}

Series read_series_row(const Row& row) {
    std::size_t column = 0;
    const auto text = [&] { return std::string(row.text(column++)); };
    const auto flag = [&] { return row.boolean(column++); };
    const auto number = [&] { return row.integer(column++); };
    const auto number_or_none = [&] {
        const std::size_t at = column++;
        return row.is_null(at) ? std::nullopt : std::optional(row.integer(at));
    };
    const auto time = [&] { return row.time(column++); };
    Series series;
    series.key = text();
    series.group = text();
    series.description = text();
    series.handler_type = text();
    series.repeat = text();
    series.zone = text();
    series.dst_rule = text();
    series.calendar = text();
    series.misfire = text();
    if (const auto threshold = number_or_none()) {
        series.misfire_threshold = schema::Duration{*threshold};
    }
    series.start = time();
    series.end = time();
    series.overlap = flag();
    series.keep_data = flag();
    series.recovery = flag();
    series.stop_on_dead_letter = flag();
    series.retries = static_cast<int>(number());
    series.total_turns = number_or_none();
    series.turns_taken = number();
    series.fire_count = number();
    series.previous_fire = time();
    series.next_fire = time();
    series.state = schema::series_state_named(text()).value_or(schema::SeriesState::ended);
    series.turn_id = text();
    series.create_time = time();
    return series;
}

void insert_series(Transaction& transaction, std::span<const Series> series) {
    write_rows(transaction, kInsert, series);
}

SeriesByKey lock_series(Transaction& transaction, std::span<const std::string_view> keys) {
    const Dialect& dialect = dialect_of(transaction.kind());
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("columns", series_columns()),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("for_update", dialect.for_update)
    );
    SeriesByKey found;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = keys})) {
        transaction
            .query({.sql = text, .columns = kColumns.size()}, parameters, [&](const Row& row) {
                Series series = read_series_row(row);
                found.emplace(series.key, std::move(series));
            });
    }
    return found;
}

std::optional<Series> lock_series(Transaction& transaction, std::string_view key) {
    SeriesByKey found = lock_series(transaction, std::span(&key, 1));
    return found.empty() ? std::nullopt : std::optional(std::move(found.begin()->second));
}

void update_series(Transaction& transaction, std::span<const Series> series) {
    write_rows(transaction, kInsertOrUpdate, series);
}

schema::CalendarTexts read_calendars(Transaction& transaction) {
    schema::CalendarTexts calendars;
    const std::string sql =
        fmt::format(kCalendars, fmt::arg("for_share", dialect_of(transaction.kind()).for_share));
    transaction.query({.sql = sql, .columns = 2}, {}, [&](const Row& row) {
        calendars.emplace(row.text(0), row.text(1));
    });
    return calendars;
}

bool is_storable(const Series& series, schema::DatabaseKind kind) {
    constexpr schema::TimePoint kFirst = schema::kEarliestInstant + std::chrono::days{1};
    for (const auto& time : {series.start, series.end, series.next_fire}) {
        if (time && (*time < kFirst || *time > max_due_date(kind))) {
            return false;
        }
    }
    return true;
}

void require_storable(const Series& series, schema::DatabaseKind kind) {
    if (!is_storable(series, kind)) {
        throw std::invalid_argument(fmt::format(
            "the series \"{}\" begins, ends or is due outside of 1970-01-02 to {}, which {} holds",
            series.key,
            schema::format_instant(max_due_date(kind)),
            schema::name_of(kind)
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
