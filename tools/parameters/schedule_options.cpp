#include "tools/parameters/schedule_options.hpp"

#include "timers/series/series_problems.hpp"
#include "timers/zone/zone.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <algorithm>
#include <array>

namespace jobstrand::cli {

Parameters<DueOptions> due_parameters(const char* date_meaning, const char* duration_meaning) {
    return {
        {"--due", &DueOptions::date, date_meaning, {.unit = "TIME", .may_be_empty = true}},
        {"--due-in",
         &DueOptions::duration,
         duration_meaning,
         {.unit = "DURATION", .may_be_empty = true}},
    };
}

Parameters<DueOptions> due_context_parameters() {
    return {
        {"--zone",
         &DueOptions::zone,
         "Whose wall clock the due date is on, by IANA name [UTC]",
         {.unit = "ZONE", .may_be_empty = true}},
        {"--calendar",
         &DueOptions::calendar,
         "Which business days count [Monday to Friday]",
         {.unit = "NAME", .may_be_empty = true}},
    };
}

namespace {

constexpr const char* kGroup = "Repeating (with --repeat)";

[[nodiscard]] ParameterRules rules_of(const char* unit) {
    return {.unit = unit, .heading = kGroup, .may_be_empty = true};
}

}  // namespace

Parameters<SeriesTimesOptions> series_times_parameters() {
    using Times = SeriesTimesOptions;
    return {
        {"--zone", &Times::zone, "Whose wall clock, by IANA name [UTC]", rules_of("ZONE")},
        {"--dst", &Times::dst, "When clocks change: quartz or run-once [quartz]", rules_of("RULE")},
        {"--calendar", &Times::calendar, "Leaves out what it excludes", rules_of("NAME")},
        {"--misfire",
         &Times::misfire,
         "What becomes of missed turns: do-nothing, fire-once-now, ... or Quartz's number; none "
         "for a cycle without one",
         rules_of("NAME")},
        {"--misfire-threshold",
         &Times::misfire_threshold,
         "How late a turn is a missed one [the service's setting]",
         rules_of("DURATION")},
        {"--start", &Times::start, "No turn before; where a cycle begins", rules_of("DATE")},
        {"--end", &Times::end, "No turn after", rules_of("DATE")},
    };
}

Parameters<SeriesOptions> series_parameters() {
    using Options = SeriesOptions;
    const ParameterRules flag{.heading = kGroup};
    const Parameters<SeriesTimesOptions> repeat{
        {"--repeat",
         &SeriesTimesOptions::repeat,
         "Runs it again and again: R/PT10M, R3/2027-01-01/P1D, '0 0 12 ? * MON-FRI'",
         rules_of("TEXT")}};
    const Parameters<Options> names{
        {"--series", &Options::series, "The key of the series [the job's id]", rules_of("KEY")},
        {"--group", &Options::group, "Its group, to be paused as a whole", rules_of("NAME")},
        {"--description", &Options::description, "What it is for", rules_of("TEXT")},
    };
    const Parameters<Options> flags{
        {"--no-overlap", &Options::no_overlap, "A turn waits until the last one has ended", flag},
        {"--keep-data",
         &Options::keep_data,
         "A turn may hand a payload on; never two at a time",
         flag},
        {"--no-recovery", &Options::no_recovery, "A turn whose node died is not run again", flag},
        {"--stop-on-dead-letter",
         &Options::stop_on_dead_letter,
         "A dead letter pauses the series",
         flag},
        {"--paused", &Options::paused, "Begin paused: `series resume` lets it go", flag},
    };
    return joined(
        of_part(repeat, &Options::times),
        names,
        of_part(series_times_parameters(), &Options::times),
        flags
    );
}

namespace {

/// The misfire instruction of a cycle that has none, so that one can be taken away.
constexpr std::string_view kNoMisfire = "none";

void set_text(std::string& field, std::string_view option, const std::optional<std::string>& text) {
    if (text) {
        field = not_empty(option, *text);
    }
}

[[nodiscard]] std::string repeat_of(const std::string& text) {
    if (const auto error = timers::problem_of_repeat(not_empty("--repeat", text))) {
        throw WrongUsage("--repeat is wrong " + with_mark(text, *error));
    }
    return text;
}

}  // namespace

bool SeriesOptions::is_any_given(bool has_due_date) const {
    const std::array texts{
        &times.dst,
        &times.misfire,
        &times.misfire_threshold,
        &times.start,
        &times.end,
        &series,
        &group,
        &description,
    };
    const bool has_context = times.zone || times.calendar;
    return (has_context && !has_due_date) || no_overlap || keep_data || no_recovery ||
           stop_on_dead_letter || paused ||
           std::ranges::any_of(texts, [](const auto* text) { return text->has_value(); });
}

void set_times(Session& session, schema::Series& series, const SeriesTimesOptions& options) {
    if (options.repeat) {
        series.repeat = repeat_of(*options.repeat);
    }
    set_text(series.zone, "--zone", options.zone);
    set_text(series.dst_rule, "--dst", options.dst);
    set_text(series.calendar, "--calendar", options.calendar);
    set_text(series.misfire, "--misfire", options.misfire);
    if (series.misfire == kNoMisfire) {
        series.misfire.clear();
    }
    if (options.misfire_threshold) {
        series.misfire_threshold = duration_of("--misfire-threshold", *options.misfire_threshold);
    }
    const timers::Zone zone = zone_of(series.zone);
    if (options.start) {
        series.start = time_of(session, "--start", *options.start, timers::Toward::ahead, zone);
    }
    if (options.end) {
        series.end = time_of(session, "--end", *options.end, timers::Toward::ahead, zone);
    }
}

void set_series(Session& session, executor::NewJob& job, const SeriesOptions& options) {
    set_times(session, job.series, options.times);
    job.job.repeat = job.series.repeat;
    set_text(job.job.series, "--series", options.series);
    set_text(job.series.group, "--group", options.group);
    set_text(job.series.description, "--description", options.description);
    job.series.overlap = !options.no_overlap;
    job.series.keep_data = options.keep_data;
    job.series.recovery = !options.no_recovery;
    job.series.stop_on_dead_letter = options.stop_on_dead_letter;
    job.starts_paused = options.paused;
}

}  // namespace jobstrand::cli
