#include "timers/calendar/calendar_text.hpp"
#include "timers/cron/cron_schedule.hpp"
#include "timers/cycle/timer_expression.hpp"
#include "timers/series/next_turns.hpp"
#include "timers/series/series_planner.hpp"
#include "timers/series/series_problems.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace jobstrand::cli {

namespace {

using schema::CalendarTexts;
using schema::TimePoint;
using Times = std::vector<TimePoint>;

/// Which times `timer next` is asked for: those of a text, or the turns of a series.
struct NextTimes {
    std::optional<std::string> expression;
    std::optional<std::string> series;  ///< Its key.
    std::optional<timers::Zone> zone;   ///< nullopt: the series' own, or UTC.
    std::optional<timers::DstRule> rule;
    std::optional<std::string> calendar;
    std::optional<std::string> misfire;
    std::optional<std::string> start;
    std::optional<std::string> end;
    std::optional<std::string> after;
    std::size_t count = 5;
};

/// About a year of hours.
constexpr std::int64_t kMostTimes = 10'000;

void read_dst_rule(NextTimes& wanted, const std::string& name, const ParameterReading& reading) {
    if (name != "quartz" && name != "run-once") {
        refuse_parameter(reading, " must be quartz or run-once, not " + quoted_if_needed(name));
    }
    wanted.rule = name == "quartz" ? timers::DstRule::quartz : timers::DstRule::run_once;
}

void read_shown_zone(NextTimes& wanted, const std::string& name, const ParameterReading& reading) {
    wanted.zone = read_zone(name, reading);
}

/// Only what is asked for opens the database.
[[nodiscard]] CalendarTexts calendars_of(Session& session) {
    CalendarTexts texts;
    for (const persistence::StoredCalendar& calendar : session.series_store().calendars()) {
        texts.emplace(calendar.name, calendar.text);
    }
    return texts;
}

[[nodiscard]] timers::TimerExpression expression_of(const std::string& text) {
    const auto expression = timers::parse_timer_expression(text);
    if (!expression) {
        throw WrongUsage("EXPR is wrong " + with_mark(text, expression.error()));
    }
    return expression.value();
}

[[nodiscard]] std::optional<TimePoint> time_in(
    Session& session,
    const NextTimes& wanted,
    std::string_view option,
    const std::optional<std::string>& text
) {
    const timers::Zone zone = wanted.zone.value_or(timers::Zone::utc());
    return text ? std::optional(
                      time_without_database(session, option, *text, timers::Toward::ahead, zone)
                  )
                : std::nullopt;
}

[[nodiscard]] Times turns_of(
    Session& session,
    const schema::Series& series,
    const CalendarTexts& calendars,
    const NextTimes& wanted,
    TimePoint now
) {
    const timers::SeriesPlanner planner(session.settings().executor.misfire_threshold);
    const TimePoint after = time_in(session, wanted, "--after", wanted.after).value_or(now);
    // What is due now is shown, unless somebody has said after what.
    const auto turns = timers::next_turns(
        planner, series, calendars, now, wanted.after ? after : TimePoint::min(), wanted.count
    );
    if (!turns) {
        throw WrongUsage("the series has no turns: {}", turns.error().message);
    }
    return turns.value();
}

/// The turns of a stored series, as they are planned, in its zone if none is asked for.
[[nodiscard]] Times turns_of_stored(Session& session, NextTimes& wanted) {
    if (wanted.expression || wanted.rule || wanted.calendar || wanted.misfire || wanted.start ||
        wanted.end) {
        throw WrongUsage(
            "--series has a text, a clock, a calendar, a start and an end of its own: it goes with "
            "--after, --count and --zone"
        );
    }
    const auto found = session.series_store().find_series(*wanted.series);
    if (!found) {
        throw NotFound("there is no series " + quoted_if_needed(*wanted.series));
    }
    if (found->series.state == schema::SeriesState::ended) {
        return {};
    }
    wanted.zone = wanted.zone ? *wanted.zone : zone_of(found->series.zone);
    return turns_of(session, found->series, calendars_of(session), wanted, session.database_now());
}

/// The turns of a series that would begin now.
[[nodiscard]] Times turns_of_new(Session& session, const NextTimes& wanted) {
    const std::string& repeat = *wanted.expression;
    if (const auto error = timers::problem_of_repeat(repeat)) {
        throw WrongUsage(
            "--misfire, --start and --end are of what repeats: EXPR is wrong " +
            with_mark(repeat, *error)
        );
    }
    const bool is_quartz = wanted.rule.value_or(timers::DstRule::quartz) == timers::DstRule::quartz;
    const schema::Series series{
        .repeat = repeat,
        .zone = wanted.zone.value_or(timers::Zone::utc()).name(),
        .dst_rule = is_quartz ? "quartz" : "run-once",
        .calendar = wanted.calendar.value_or(""),
        .misfire = wanted.misfire.value_or(""),
        .start = time_in(session, wanted, "--start", wanted.start),
        .end = time_in(session, wanted, "--end", wanted.end),
    };
    const TimePoint now =
        time_in(session, wanted, "--after", wanted.after).value_or(session.clock().now());
    const CalendarTexts calendars = wanted.calendar ? calendars_of(session) : CalendarTexts();
    const auto problems = timers::problems_of_new(series, calendars, std::nullopt, now);
    if (!problems.empty()) {
        throw WrongUsage("{}", fmt::join(problems, "; "));
    }
    const auto begun = timers::SeriesPlanner().begin(series, calendars, std::nullopt, now);
    return begun ? turns_of(session, begun.value().series, calendars, wanted, now) : Times();
}

/// The times of any timer text.
[[nodiscard]] Times times_of_text(Session& session, const NextTimes& wanted) {
    const timers::TimerExpression expression = expression_of(*wanted.expression);
    std::optional<timers::Calendar> calendar;
    if (wanted.calendar) {
        const auto found = timers::find_calendar(*wanted.calendar, calendars_of(session));
        if (!found) {
            throw WrongUsage("--calendar: " + found.error().message);
        }
        calendar = found.value();
    }
    const timers::TimerContext context{
        .zone = wanted.zone.value_or(timers::Zone::utc()),
        .rule = wanted.rule.value_or(timers::DstRule::quartz),
        .calendar = calendar ? &*calendar : nullptr};
    const TimePoint after =
        time_in(session, wanted, "--after", wanted.after).value_or(session.clock().now());
    return timers::next_times(expression, context, after, wanted.count);
}

[[nodiscard]] Times times_of(Session& session, NextTimes& wanted) {
    if (wanted.series) {
        return turns_of_stored(session, wanted);
    }
    if (!wanted.expression) {
        throw WrongUsage("say what: a timer text, or --series KEY");
    }
    const bool is_of_series = wanted.misfire || wanted.start || wanted.end;
    return is_of_series ? turns_of_new(session, wanted) : times_of_text(session, wanted);
}

void write_lines(std::ostream& out, const timers::Zone& zone, const Times& times) {
    for (const TimePoint time : times) {
        out << zone.format(time) << '\n';
    }
    if (times.empty()) {
        out << "none\n";
    }
}

void write_records(Session& session, const timers::Zone& zone, const Times& times) {
    const std::vector<TableColumn> columns{{.field = "time", .heading = "TIME"}};
    RecordWriter writer(session.streams().out, session.format(), columns, session.style());
    for (const TimePoint time : times) {
        writer.add({text_field("time", zone.format(time))});
    }
    writer.finish();
}

[[nodiscard]] Parameters<NextTimes> next_times_parameters() {
    return {
        {"expression",
         &NextTimes::expression,
         "A cron text (Quartz, Unix, @daily), an ISO 8601 date, duration or cycle, times of each "
         "day "
         "(every 45m from 09:00 to 17:00), a number of business days, or a time as people say it "
         "(5m, tomorrow 09:00)",
         {.unit = "EXPR", .may_be_empty = true}},
        {"--series",
         &NextTimes::series,
         "The turns of this series, as they are planned, in place of EXPR",
         {.unit = "KEY"}},
        {"--zone",
         read_shown_zone,
         "The time zone, by IANA name [UTC; of a series its own]",
         {.unit = "ZONE"}},
        {"--after",
         &NextTimes::after,
         "The date after which times are asked for [now]",
         {.unit = "DATE", .may_be_empty = true}},
        {"--count",
         &NextTimes::count,
         "How many times at most [5]",
         {.unit = "N", .least = 1, .most = kMostTimes}},
        {"--dst",
         read_dst_rule,
         "What a cron text means when clocks change: quartz (a time that is left out is not run, "
         "one that comes twice is run the second time) or run-once [quartz]",
         {.unit = "RULE"}},
        {"--calendar",
         &NextTimes::calendar,
         "Leaves out what this calendar excludes",
         {.unit = "NAME"}},
        {"--start",
         &NextTimes::start,
         "Of what repeats: no turn before; where a cycle begins",
         {.unit = "DATE"}},
        {"--end", &NextTimes::end, "Of what repeats: no turn after", {.unit = "DATE"}},
        {"--misfire",
         &NextTimes::misfire,
         "Of what repeats: what becomes of turns before now: do-nothing, fire-once-now, ...",
         {.unit = "NAME"}},
    };
}

/// One time per line, without a heading; `none` if there is none, in JSON an empty list. Opens no
/// database, unless it is asked for a series or a calendar.
[[nodiscard]] ExitCode show_next_times(Session& session, const NextTimes& asked) {
    NextTimes wanted = asked;
    const Times times = times_of(session, wanted);
    const timers::Zone zone = wanted.zone.value_or(timers::Zone::utc());
    const OutputFormat format = session.format();
    if (format == OutputFormat::table || format == OutputFormat::name) {
        write_lines(session.streams().out, zone, times);
    } else {
        write_records(session, zone, times);
    }
    return ExitCode::done;
}

}  // namespace

Operation timer_next_operation() {
    return writing_operation(
        {.words = "timer next",
         .summary = "Tell when a timer with a given text would fire, or a series will",
         .examples = "  jobstrand timer next '0 30 2 * * ?' --zone Europe/Berlin\n"
                     "  jobstrand timer next 'R3/PT10H' --after 2026-11-20T10:00:00Z "
                     "-o json\n"
                     "  jobstrand timer next '3 business days' --calendar bank\n"
                     "  jobstrand timer next --series nightly --count 10",
         .role = service::Role::read,
         .path = "GET /api/v1/timers/next"},
        next_times_parameters(),
        {.kind = DescribedResult::Kind::list,
         .fields = {{"time", "In the zone", {.format = "date-time"}}}},
        show_next_times
    );
}

}  // namespace jobstrand::cli
