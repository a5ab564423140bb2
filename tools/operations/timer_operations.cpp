#include "tools/operations/job/job_changing.hpp"
#include "tools/operations/job/job_showing.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/schedule_options.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/series_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using deadletter::FoundTimer;
using deadletter::TimerState;
using persistence::SeriesCondition;
using schema::JobPlace;

struct TimerListing : ListOptions {
    std::optional<std::string> group;
    TimerState state = TimerState::waiting;
    timers::Zone zone = timers::Zone::utc();
};

struct TimerId {
    std::string id;
    timers::Zone zone = timers::Zone::utc();
};

struct TimerRescheduling {
    std::vector<std::string> ids;
    DueOptions due;
};

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

[[nodiscard]] ExitCode list_timers(Session& session, const TimerListing& wanted) {
    const deadletter::TimerQuery query{
        .state = wanted.state,
        .group = wanted.group,
        .filter = filter_of(session, wanted.filter),
        .after = wanted.after,
        .limit = limit_of(session, wanted.limit),
    };
    write_page(
        session,
        session.timers().list(query),
        timer_columns(),
        [&](const FoundTimer& timer) { return timer_record_of(timer, wanted.zone); },
        [](const FoundTimer& timer) { return timer.placed.job.id; }
    );
    return ExitCode::done;
}

[[nodiscard]] ExitCode show_timer(Session& session, const TimerId& wanted) {
    const deadletter::JobDetails found = find_job(session, wanted.id, JobPlace::timer);
    Record record = timer_record_of(
        {.placed = found.placed, .series = session.timers().series_of(found.placed.job)},
        wanted.zone
    );
    record.push_back(text_or_null_field("exceptionDetails", found.exception_details));
    write_record(session.streams().out, session.format(), record);
    return ExitCode::done;
}

void fire_timers(Session& session, const NamedThings& timers, const deadletter::BulkWatch& watch) {
    const auto remark = [](const deadletter::ItemResult& item) {
        return fmt::format(
            "{} was the next turn of {}, which goes on", item.id, named_series(item.series)
        );
    };
    session.jobs().fire(timers.names, with_remark_on_series(session, watch, remark));
}

[[nodiscard]] ExitCode reschedule_timers(Session& session, const TimerRescheduling& wanted) {
    const auto due = due_of(session, wanted.due);
    if (!due) {
        throw WrongUsage("say when: --due DATE or --due-in DURATION");
    }
    const auto ids = job_ids(session, wanted.ids);
    return report_jobs(session, "rescheduled", [&](const deadletter::BulkWatch& watch) {
        session.jobs().reschedule(
            ids, *due, with_remark_on_series(session, watch, only_this_turn_moves)
        );
    });
}

[[nodiscard]] ExitCode remove_timers(Session& session, const BulkOptions& wanted) {
    return remove_jobs(session, {.bulk = wanted, .place = "timer"});
}

void read_timer_state(
    TimerListing& listing,
    const std::string& word,
    const ParameterReading& reading
) {
    if (word == "waiting") {
        listing.state = TimerState::waiting;
    } else if (word == "paused") {
        listing.state = TimerState::paused;
    } else if (word == "all") {
        listing.state = TimerState::all;
    } else {
        refuse_parameter(reading, " must be waiting, paused or all, not " + quoted_if_needed(word));
    }
}

[[nodiscard]] Parameters<TimerListing> timer_listing() {
    return joined(
        Parameters<TimerListing>{
            {"--group",
             &TimerListing::group,
             "Only turns that carry on a series of this group",
             {.unit = "NAME"}},
            {"--state", read_timer_state, "waiting (default), paused, or all", {.unit = "STATE"}},
            {"--zone", &TimerListing::zone, kShownZone, {.unit = "ZONE"}}},
        of_base<TimerListing>(job_list_parameters())
    );
}

[[nodiscard]] Parameters<TimerRescheduling> timer_rescheduling() {
    const Parameters<TimerRescheduling> ids{
        {"ids",
         &TimerRescheduling::ids,
         "The timers; - reads them from stdin",
         {.unit = "ID", .is_required = true, .is_raw = true}}};
    const auto due = due_parameters("The new due date, or any timer text", "The time from now");
    return joined(ids, of_part(joined(due, due_context_parameters()), &TimerRescheduling::due));
}

/// What a timer without a series has of it is null.
[[nodiscard]] std::vector<DescribedField> described_timer() {
    std::vector<DescribedField> fields = described_job();
    for (DescribedField& field : described(timer_fields())) {
        field.type.is_nullable = field.name != "state";
        fields.push_back(field);
    }
    return fields;
}

}  // namespace

OperationNoun timer_noun() {
    return {
        .name = "timer",
        .summary = "Jobs with a due date, and waits before a retry",
        .examples =
            "  jobstrand timer ls\n"
            "  jobstrand timer fire 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
            "  jobstrand timer next '0 30 2 ? * MON-FRI' --zone Europe/Berlin",
        .operations =
            {
                writing_operation(
                    {.words = "timer ls",
                     .summary = "List timers, oldest first, with what their series say",
                     .examples =
                         "  jobstrand timer ls --due-before 2026-11-21\n"
                         "  jobstrand timer ls --group reports --state all --zone Europe/Berlin",
                     .role = service::Role::read,
                     .path = "GET /api/v1/timers",
                     .honours_scope = true},
                    timer_listing(),
                    {.kind = DescribedResult::Kind::page, .fields = described_timer()},
                    list_timers
                ),
                writing_operation<TimerId>(
                    {.words = "timer show",
                     .summary = "Show a timer with all its fields, and those of its series",
                     .examples =
                         "  jobstrand timer show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/timers/{timer}",
                     .honours_scope = true},
                    {{"id", &TimerId::id, "The timer", {.is_required = true, .may_be_empty = true}},
                     {"--zone", &TimerId::zone, kShownZone, {.unit = "ZONE"}}},
                    {.fields = joined(
                         described_timer(),
                         {{"exceptionDetails",
                           "The stack trace or output of its last failure",
                           {.is_nullable = true}}}
                     )},
                    show_timer
                ),
                items_operation(
                    {.words = "timer fire",
                     .summary = "Let timers run now, whatever their due date",
                     .examples = "  jobstrand timer fire 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .path = "POST /api/v1/timers/fire",
                     .honours_scope = true},
                    several_jobs("The timers; - reads them from stdin"),
                    {.done = "fired", .why_not = why_not_job},
                    fire_timers
                ),
                writing_operation(
                    {.words = "timer reschedule",
                     .summary = "Give timers another due date",
                     .examples =
                         "  jobstrand timer reschedule 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 "
                         "--due 2026-12-24T18:00:00+01:00\n"
                         "  jobstrand timer reschedule 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 "
                         "--due 'tomorrow 09:00' --zone Europe/Berlin",
                     .path = "POST /api/v1/timers/reschedule",
                     .honours_scope = true},
                    timer_rescheduling(),
                    described_items("id"),
                    reschedule_timers
                ),
                writing_operation(
                    {.words = "timer rm",
                     .summary = "Delete timers for good",
                     .examples = "  jobstrand timer rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                                 "  jobstrand timer rm --type reminder --dry-run",
                     .path = "POST /api/v1/timers/rm"},
                    bulk_job_parameters(),
                    described_change("removed", "locked"),
                    remove_timers
                ),
                timer_next_operation(),
            },
    };
}

}  // namespace jobstrand::cli
