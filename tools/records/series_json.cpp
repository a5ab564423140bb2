#include "tools/records/series_json.hpp"

#include "schema/text/time_text.hpp"
#include "tools/text/json_text.hpp"

#include <array>
#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::SeriesCondition;
using persistence::SeriesSummary;
using schema::Series;

/// A field of the series itself.
template <typename Member>
[[nodiscard]] auto of_series(Member member) {
    return [member](const SeriesSummary& summary) { return summary.series.*member; };
}

[[nodiscard]] const Fields<SeriesSummary>& progress_fields() {
    static const Fields<SeriesSummary> all{
        {.name = "state",
         .value = &SeriesSummary::condition,
         .meaning = "waiting, running, paused or ended",
         .column = {.heading = "STATE", .rank = 2},
         .place = 6},
        {.name = "previousFire",
         .value = of_series(&Series::previous_fire),
         .column = {.heading = "PREVIOUS", .rank = 6},
         .place = 7},
        {.name = "nextFire",
         .value = of_series(&Series::next_fire),
         .column = {.heading = "NEXT", .rank = 1},
         .place = 8},
        {.name = "fireCount", .value = of_series(&Series::fire_count)},
    };
    return all;
}

/// What was given when the series was made, but for what its jobs say themselves.
[[nodiscard]] const Fields<SeriesSummary>& setting_fields() {
    static const Fields<SeriesSummary> all{
        {.name = "zone",
         .value = of_series(&Series::zone),
         .meaning = "Whose wall clock, by IANA name",
         .column = {.heading = "ZONE", .rank = 5},
         .place = 4},
        {.name = "dst",
         .value = of_series(&Series::dst_rule),
         .meaning = "When clocks change: quartz or run-once"},
        {.name = "calendar",
         .value = of_series(&Series::calendar),
         .meaning = "Leaves out what it excludes",
         .column = {.heading = "CALENDAR", .is_optional = true, .rank = 8},
         .place = 5,
         .is_null_if_empty = true},
        {.name = "start",
         .value = of_series(&Series::start),
         .column = {.heading = "START", .is_optional = true, .rank = 11},
         .place = 9},
        {.name = "end",
         .value = of_series(&Series::end),
         .column = {.heading = "END", .is_optional = true, .rank = 10},
         .place = 10},
        {.name = "misfire",
         .value = of_series(&Series::misfire),
         .meaning = "What becomes of missed turns",
         .column = {.heading = "MISFIRE", .is_optional = true, .rank = 9},
         .place = 11,
         .is_null_if_empty = true},
        {.name = "misfireThreshold",
         .value = of_series(&Series::misfire_threshold),
         .meaning = "How late a turn is a missed one"},
        {.name = "overlap", .value = of_series(&Series::overlap)},
        {.name = "keepData", .value = of_series(&Series::keep_data)},
        {.name = "recovery", .value = of_series(&Series::recovery)},
        {.name = "stopOnDeadLetter", .value = of_series(&Series::stop_on_dead_letter)},
    };
    return all;
}

[[nodiscard]] const Fields<SeriesSummary>& group_and_description() {
    static const Fields<SeriesSummary> all{
        {.name = "group",
         .value = of_series(&Series::group),
         .column = {.heading = "GROUP", .rank = 7},
         .place = 1},
        {.name = "description",
         .value = of_series(&Series::description),
         .column = {.heading = "DESCRIPTION", .is_optional = true, .rank = 12, .width_least = 16},
         .place = 12,
         .is_null_if_empty = true},
    };
    return all;
}

[[nodiscard]] const Fields<SeriesSummary>& complaint_field() {
    static const Fields<SeriesSummary> all{
        {.name = "unreadableSeries",
         .value = &SeriesSummary::complaint,
         .meaning = "Why its row cannot be read; null: it can",
         .column =
             {.heading = "UNREADABLE",
              .width_max = 60,
              .is_optional = true,
              .rank = 1,
              .width_least = 16,
              .tone = Tone::bad},
         .place = 13,
         .is_null_if_empty = true},
    };
    return all;
}

/// The same fields without values.
[[nodiscard]] Record nulls_for(Record record) {
    for (RecordField& field : record) {
        field = text_or_null_field(field.name, {});
    }
    return record;
}

template <auto Read, auto Member>
[[nodiscard]] std::string read_of_series(std::string_view value, executor::NewJob& into) {
    return Read(value, into.series.*Member);
}

[[nodiscard]] std::string read_state(std::string_view value, executor::NewJob& into) {
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

[[nodiscard]] std::string ignore(std::string_view, executor::NewJob&) {
    return {};
}

constexpr std::array kMembers{
    SeriesMember{"group", read_of_series<read_text, &Series::group>},
    SeriesMember{"description", read_of_series<read_text, &Series::description>},
    SeriesMember{"zone", read_of_series<read_text, &Series::zone>},
    SeriesMember{"dst", read_of_series<read_text, &Series::dst_rule>},
    SeriesMember{"calendar", read_of_series<read_text, &Series::calendar>},
    SeriesMember{"start", read_of_series<read_instant, &Series::start>},
    SeriesMember{"end", read_of_series<read_instant, &Series::end>},
    SeriesMember{"misfire", read_of_series<read_text, &Series::misfire>},
    SeriesMember{"misfireThreshold", read_of_series<read_duration, &Series::misfire_threshold>},
    SeriesMember{"overlap", read_of_series<read_flag, &Series::overlap>},
    SeriesMember{"keepData", read_of_series<read_flag, &Series::keep_data>},
    SeriesMember{"recovery", read_of_series<read_flag, &Series::recovery>},
    SeriesMember{"stopOnDeadLetter", read_of_series<read_flag, &Series::stop_on_dead_letter>},
    SeriesMember{"state", read_state, false},
    SeriesMember{"previousFire", ignore, false},
    SeriesMember{"nextFire", ignore, false},
    SeriesMember{"fireCount", ignore, false},
    SeriesMember{"unreadableSeries", ignore, false},
};

}  // namespace

const Fields<SeriesSummary>& series_fields() {
    static const Fields<SeriesSummary> head{
        {.name = "series",
         .value = of_series(&Series::key),
         .column = {.heading = "SERIES", .width_max = 64}},
    };
    static const Fields<SeriesSummary> job{
        {.name = "handlerType",
         .value = of_series(&Series::handler_type),
         .column = {.heading = "TYPE", .rank = 4},
         .place = 2,
         .is_null_if_empty = true},
        {.name = "repeat",
         .value = of_series(&Series::repeat),
         .column = {.heading = "REPEAT", .width_max = 50, .rank = 3, .width_least = 12},
         .place = 3,
         .is_null_if_empty = true},
    };
    static const Fields<SeriesSummary> rest{
        {.name = "retries", .value = of_series(&Series::retries)},
        {.name = "totalTurns",
         .value = of_series(&Series::total_turns),
         .meaning = "null: it has no end of its own"},
        {.name = "turnsTaken", .value = of_series(&Series::turns_taken)},
        {.name = "turnId",
         .value = of_series(&Series::turn_id),
         .meaning = "The job that waits or runs for it",
         .is_null_if_empty = true},
        {.name = "createTime", .value = of_series(&Series::create_time)},
    };
    static const Fields<SeriesSummary> all = joined(
        head,
        group_and_description(),
        job,
        progress_fields(),
        setting_fields(),
        rest,
        complaint_field()
    );
    return all;
}

const Fields<SeriesSummary>& timer_fields() {
    static const Fields<SeriesSummary> all =
        joined(group_and_description(), progress_fields(), setting_fields(), complaint_field());
    return all;
}

Record timer_fields_of(const std::optional<SeriesSummary>& summary, const timers::Zone& zone) {
    Record record = record_of(timer_fields(), summary.value_or(SeriesSummary()), zone);
    return summary ? record : nulls_for(std::move(record));
}

std::span<const SeriesMember> series_members() {
    return kMembers;
}

}  // namespace jobstrand::cli
