#include "tools/jobstrand/commands/timer/timer_listing.hpp"

#include "tools/jobstrand/commands/job/job_showing.hpp"
#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/json/job_json.hpp"
#include "tools/jobstrand/json/series_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

namespace jobstrand::cli {

namespace {

using deadletter::FoundTimer;
using deadletter::TimerState;
using persistence::SeriesCondition;
using schema::JobPlace;

const std::vector<TableColumn>& timer_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64, .is_job_id = true},
        {.field = "series", .heading = "SERIES", .width_max = 64, .is_optional = true, .rank = 3},
        {.field = "group", .heading = "GROUP", .is_optional = true, .rank = 8},
        {.field = "handlerType", .heading = "TYPE", .rank = 2},
        {.field = "repeat",
         .heading = "REPEAT",
         .width_max = 50,
         .is_optional = true,
         .rank = 5,
         .width_least = 12},
        {.field = "zone", .heading = "ZONE", .is_optional = true, .rank = 9},
        {.field = "calendar", .heading = "CALENDAR", .is_optional = true, .rank = 10},
        {.field = "state", .heading = "STATE", .rank = 4},
        {.field = "previousFire", .heading = "PREVIOUS", .is_optional = true, .rank = 11},
        {.field = "dueDate", .heading = "NEXT", .rank = 1},
        {.field = "start", .heading = "START", .is_optional = true, .rank = 14},
        {.field = "end", .heading = "END", .is_optional = true, .rank = 13},
        {.field = "misfire", .heading = "MISFIRE", .is_optional = true, .rank = 12},
        {.field = "retries", .heading = "RETRIES", .rank = 7},
        {.field = "processInstanceId", .heading = "INSTANCE", .is_optional = true, .rank = 15},
        {.field = "exceptionMessage",
         .heading = "LAST FAILURE",
         .width_max = 60,
         .is_optional = true,
         .rank = 6,
         .width_least = 16,
         .tone = Tone::bad},
        {.field = "unreadableSeries",
         .heading = "UNREADABLE",
         .width_max = 60,
         .is_optional = true,
         .rank = 1,
         .width_least = 16,
         .tone = Tone::bad},
    };
    return columns;
}

[[nodiscard]] TimerState state_of(const std::string& word) {
    if (word == "waiting") {
        return TimerState::waiting;
    }
    if (word == "paused") {
        return TimerState::paused;
    }
    if (word == "all") {
        return TimerState::all;
    }
    throw CliError(
        ExitCode::wrong_usage,
        "--state must be waiting, paused or all, not " + quoted_if_needed(word)
    );
}

[[nodiscard]] Record timer_record_of(const FoundTimer& timer, const timers::Zone& zone) {
    Record record = record_of(timer.placed, zone);
    Record more = timer_fields_of(timer.series, zone);
    const SeriesCondition condition =
        timer.placed.place == JobPlace::timer ? SeriesCondition::waiting : SeriesCondition::paused;
    for (RecordField& field : more) {
        // A timer has a state, be it one of a series or not.
        record.push_back(
            field.name == "state" ? text_field("state", persistence::name_of(condition)) : field
        );
    }
    return record;
}

}  // namespace

ExitCode list_timers(Session& session, const TimerListOptions& options) {
    const timers::Zone zone = zone_of(options.zone);
    const deadletter::TimerQuery query{
        .state = state_of(options.state),
        .group = options.group ? std::optional(not_empty("--group", *options.group)) : std::nullopt,
        .filter = filter_of(session, options.list.filter),
        .after = options.list.after,
        .limit = limit_of(session, options.list.limit),
    };
    write_page(
        session,
        session.timers().list(query),
        timer_columns(),
        [&zone](const FoundTimer& timer) { return timer_record_of(timer, zone); },
        [](const FoundTimer& timer) { return timer.placed.job.id; }
    );
    return ExitCode::done;
}

ExitCode show_timer(Session& session, const TimerShowOptions& options) {
    const timers::Zone zone = zone_of(options.zone);
    const deadletter::JobDetails found = find_job(session, options.id, JobPlace::timer);
    Record record = timer_record_of(
        {.placed = found.placed, .series = session.timers().series_of(found.placed.job)}, zone
    );
    record.push_back(text_or_null_field("exceptionDetails", found.exception_details));
    write_record(session.streams().out, session.format(), record);
    return ExitCode::done;
}

}  // namespace jobstrand::cli
