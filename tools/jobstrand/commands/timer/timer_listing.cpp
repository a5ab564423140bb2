#include "tools/jobstrand/commands/timer/timer_listing.hpp"

#include "tools/jobstrand/commands/job/job_showing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"
#include "tools/jobstrand/json/job_json.hpp"
#include "tools/jobstrand/json/series_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <iterator>

namespace jobstrand::cli {

namespace {

using persistence::SeriesCondition;
using persistence::SeriesSummary;
using schema::JobPlace;
using schema::PlacedJob;

const std::vector<TableColumn>& timer_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "series", .heading = "SERIES", .width_max = 64, .is_optional = true},
        {.field = "group", .heading = "GROUP", .is_optional = true},
        {.field = "handlerType", .heading = "TYPE"},
        {.field = "repeat", .heading = "REPEAT", .width_max = 50, .is_optional = true},
        {.field = "zone", .heading = "ZONE", .is_optional = true},
        {.field = "calendar", .heading = "CALENDAR", .is_optional = true},
        {.field = "state", .heading = "STATE"},
        {.field = "previousFire", .heading = "PREVIOUS", .is_optional = true},
        {.field = "dueDate", .heading = "NEXT"},
        {.field = "start", .heading = "START", .is_optional = true},
        {.field = "end", .heading = "END", .is_optional = true},
        {.field = "misfire", .heading = "MISFIRE", .is_optional = true},
        {.field = "retries", .heading = "RETRIES"},
        {.field = "processInstanceId", .heading = "INSTANCE", .is_optional = true},
        {.field = "exceptionMessage",
         .heading = "LAST FAILURE",
         .width_max = 60,
         .is_optional = true},
    };
    return columns;
}

[[nodiscard]] std::vector<JobPlace> places_of(const std::string& state) {
    if (state == "waiting") {
        return {JobPlace::timer};
    }
    if (state == "paused") {
        return {JobPlace::suspended};
    }
    if (state == "all") {
        return {JobPlace::timer, JobPlace::suspended};
    }
    throw CliError(
        ExitCode::wrong_usage,
        "--state must be waiting, paused or all, not " + quoted_if_needed(state)
    );
}

/// Of a job that carries a series on, what the series says. A job that does not is only named.
[[nodiscard]] std::optional<SeriesSummary> series_of(Session& session, const schema::Job& job) {
    return job.repeat.empty() ? std::nullopt
                              : session.series_store().find_series(schema::series_key_of(job));
}

[[nodiscard]] Record
timer_record_of(Session& session, const PlacedJob& placed, const timers::Zone& zone) {
    Record record = record_of(placed, zone);
    Record more = timer_fields_of(series_of(session, placed.job), zone);
    const SeriesCondition condition =
        placed.place == JobPlace::timer ? SeriesCondition::waiting : SeriesCondition::paused;
    for (RecordField& field : more) {
        // A timer has a state, be it one of a series or not.
        record.push_back(
            field.name == "state" ? text_field("state", persistence::name_of(condition)) : field
        );
    }
    return record;
}

/// The turns that carry the series of a group on.
[[nodiscard]] std::vector<std::string> turns_of(Session& session, const std::string& group) {
    std::vector<std::string> ids;
    for_each_series(session, {.group = group}, [&ids](const SeriesSummary& summary) {
        if (!summary.series.turn_id.empty()) {
            ids.push_back(summary.series.turn_id);
        }
    });
    return ids;
}

/// Of the suspended place, only what waits for a date is a timer.
[[nodiscard]] bool is_timer(const PlacedJob& placed) {
    return placed.place == JobPlace::timer ||
           placed.job.suspended_from == schema::name_of(JobPlace::timer);
}

/// Nothing when the group has no turns: an empty list of ids would mean every job.
[[nodiscard]] std::vector<PlacedJob>
fetch_timers(Session& session, const TimerListOptions& options, std::size_t limit) {
    Listing listing{
        .places = places_of(options.state),
        .filter = filter_of(options.list.filter),
        .after = options.list.after,
        .limit = limit,
    };
    if (const auto group = group_of(options.group)) {
        listing.filter.ids = turns_of(session, *group);
        if (listing.filter.ids.empty()) {
            return {};
        }
    }
    return fetch(session.store(), listing, is_timer);
}

}  // namespace

ExitCode list_timers(Session& session, const TimerListOptions& options) {
    const timers::Zone zone = zone_of(options.zone);
    const std::size_t limit = limit_of(options.list.limit);
    // One more than is shown tells whether there is more.
    std::vector<PlacedJob> timers = fetch_timers(session, options, limit + 1);
    const bool is_cut = timers.size() > limit;
    if (is_cut) {
        timers.resize(limit);
    }
    RecordWriter writer(session.streams().out, session.format(), timer_columns());
    for (const PlacedJob& timer : timers) {
        writer.add(timer_record_of(session, timer, zone));
    }
    writer.finish();
    if (is_cut) {
        session.tell(fmt::format("there are more: go on with --after {}", timers.back().job.id));
    }
    return ExitCode::done;
}

ExitCode show_timer(Session& session, const TimerShowOptions& options) {
    const timers::Zone zone = zone_of(options.zone);
    const PlacedJob placed = find_job(session, options.id, JobPlace::timer);
    Record record = timer_record_of(session, placed, zone);
    record.push_back(
        text_or_null_field("exceptionDetails", session.store().exception_details(placed.job))
    );
    write_record(session.streams().out, session.format(), record);
    return ExitCode::done;
}

}  // namespace jobstrand::cli
