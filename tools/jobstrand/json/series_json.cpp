#include "tools/jobstrand/json/series_json.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/jobstrand/json/json_values.hpp"
#include "tools/jobstrand/json/member_values.hpp"
#include "tools/jobstrand/output/time_field.hpp"

#include <array>
#include <iterator>

namespace jobstrand::cli {

namespace {

using persistence::SeriesCondition;
using persistence::SeriesSummary;
using schema::Series;

[[nodiscard]] RecordField
duration_field(std::string_view name, const std::optional<schema::Duration>& duration) {
    return text_or_null_field(name, duration ? schema::format_duration(*duration) : std::string());
}

/// What was given when the series was made, but for what its jobs say themselves.
[[nodiscard]] Record settings_of(const Series& series, const timers::Zone& zone) {
    return {
        text_field("zone", series.zone),
        text_field("dst", series.dst_rule),
        text_or_null_field("calendar", series.calendar),
        time_field("start", series.start, zone),
        time_field("end", series.end, zone),
        text_or_null_field("misfire", series.misfire),
        duration_field("misfireThreshold", series.misfire_threshold),
        flag_field("overlap", series.overlap),
        flag_field("keepData", series.keep_data),
        flag_field("recovery", series.recovery),
        flag_field("stopOnDeadLetter", series.stop_on_dead_letter),
    };
}

[[nodiscard]] Record progress_of(const SeriesSummary& summary, const timers::Zone& zone) {
    const Series& series = summary.series;
    return {
        text_field("state", persistence::name_of(summary.condition)),
        time_field("previousFire", series.previous_fire, zone),
        time_field("nextFire", series.next_fire, zone),
        number_field("fireCount", series.fire_count),
    };
}

/// Null: the row of the series can be read.
[[nodiscard]] RecordField complaint_field(const SeriesSummary& summary) {
    return text_or_null_field("unreadableSeries", summary.complaint);
}

void append(Record& record, Record more) {
    record.insert(
        record.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end())
    );
}

/// The same fields without values.
[[nodiscard]] Record nulls_for(Record record) {
    for (RecordField& field : record) {
        field = text_or_null_field(field.name, {});
    }
    return record;
}

template <std::string Series::*Member>
[[nodiscard]] std::string read_series_text(std::string_view value, NewJob& into) {
    return read_text(value, into.series.*Member);
}

template <bool Series::*Member>
[[nodiscard]] std::string read_series_flag(std::string_view value, NewJob& into) {
    return read_flag(value, into.series.*Member);
}

template <std::optional<schema::TimePoint> Series::*Member>
[[nodiscard]] std::string read_series_time(std::string_view value, NewJob& into) {
    return read_instant(value, into.series.*Member);
}

[[nodiscard]] std::string read_misfire_threshold(std::string_view value, NewJob& into) {
    return read_duration(value, into.series.misfire_threshold);
}

[[nodiscard]] std::string read_state(std::string_view value, NewJob& into) {
    const auto name = string_of(value);
    if (!name) {
        return name.error().message;
    }
    const auto state = persistence::series_condition_named(name.value());
    if (state != SeriesCondition::waiting && state != SeriesCondition::paused) {
        return "of a new series must be waiting or paused";
    }
    into.starts_paused = state == SeriesCondition::paused;
    return {};
}

[[nodiscard]] std::string ignore(std::string_view, NewJob&) {
    return {};
}

constexpr std::array kMembers{
    SeriesMember{"group", read_series_text<&Series::group>},
    SeriesMember{"description", read_series_text<&Series::description>},
    SeriesMember{"zone", read_series_text<&Series::zone>},
    SeriesMember{"dst", read_series_text<&Series::dst_rule>},
    SeriesMember{"calendar", read_series_text<&Series::calendar>},
    SeriesMember{"start", read_series_time<&Series::start>},
    SeriesMember{"end", read_series_time<&Series::end>},
    SeriesMember{"misfire", read_series_text<&Series::misfire>},
    SeriesMember{"misfireThreshold", read_misfire_threshold},
    SeriesMember{"overlap", read_series_flag<&Series::overlap>},
    SeriesMember{"keepData", read_series_flag<&Series::keep_data>},
    SeriesMember{"recovery", read_series_flag<&Series::recovery>},
    SeriesMember{"stopOnDeadLetter", read_series_flag<&Series::stop_on_dead_letter>},
    SeriesMember{"state", read_state, false},
    SeriesMember{"previousFire", ignore, false},
    SeriesMember{"nextFire", ignore, false},
    SeriesMember{"fireCount", ignore, false},
    SeriesMember{"unreadableSeries", ignore, false},
};

}  // namespace

Record record_of(const SeriesSummary& summary, const timers::Zone& zone) {
    const Series& series = summary.series;
    Record record{
        text_field("series", series.key),
        text_field("group", series.group),
        text_or_null_field("description", series.description),
        text_or_null_field("handlerType", series.handler_type),
        text_or_null_field("repeat", series.repeat),
    };
    append(record, progress_of(summary, zone));
    append(record, settings_of(series, zone));
    append(
        record,
        {
            number_field("retries", series.retries),
            series.total_turns ? number_field("totalTurns", *series.total_turns)
                               : text_or_null_field("totalTurns", {}),
            number_field("turnsTaken", series.turns_taken),
            text_or_null_field("turnId", series.turn_id),
            time_field("createTime", series.create_time, zone),
            complaint_field(summary),
        }
    );
    return record;
}

Record timer_fields_of(const std::optional<SeriesSummary>& summary, const timers::Zone& zone) {
    const SeriesSummary& shown = summary ? *summary : SeriesSummary{};
    Record record{
        text_field("group", shown.series.group),
        text_or_null_field("description", shown.series.description),
    };
    append(record, progress_of(shown, zone));
    append(record, settings_of(shown.series, zone));
    record.push_back(complaint_field(shown));
    return summary ? record : nulls_for(std::move(record));
}

std::span<const SeriesMember> series_members() {
    return kMembers;
}

}  // namespace jobstrand::cli
