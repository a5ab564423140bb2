#include "persistence/series/series_row.hpp"

#include <array>
#include <optional>

namespace jobstrand::persistence {

namespace {

using schema::Series;

/// In the order of append_series_row and read_series_row.
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

}  // namespace jobstrand::persistence
