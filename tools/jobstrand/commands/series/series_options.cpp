#include "tools/jobstrand/commands/series/series_options.hpp"

#include "tools/jobstrand/commands/command_line.hpp"

namespace jobstrand::cli {

namespace {

constexpr const char* kGroup = "Repeating (with --repeat)";

void add_text(
    const Command& verb,
    const char* name,
    std::optional<std::string>& value,
    const char* meaning,
    const char* unit
) {
    verb.add_option(name, value, meaning).group(kGroup).type_name(unit);
}

void add_flag(const Command& verb, const char* name, bool& value, const char* meaning) {
    verb.add_flag(name, value, meaning).group(kGroup);
}

}  // namespace

const Parameters<SeriesTimesOptions>& series_times_parameters() {
    using Times = SeriesTimesOptions;
    const auto rules = [](const char* unit) {
        return ParameterRules{.unit = unit, .heading = kGroup, .may_be_empty = true};
    };
    static const Parameters<Times> all{
        {"--zone", &Times::zone, "Whose wall clock, by IANA name [UTC]", rules("ZONE")},
        {"--dst", &Times::dst, "When clocks change: quartz or run-once [quartz]", rules("RULE")},
        {"--calendar", &Times::calendar, "Leaves out what it excludes", rules("NAME")},
        {"--misfire",
         &Times::misfire,
         "What becomes of missed turns: do-nothing, fire-once-now, ... or Quartz's number; none "
         "for a cycle without one",
         rules("NAME")},
        {"--misfire-threshold",
         &Times::misfire_threshold,
         "How late a turn is a missed one [the service's setting]",
         rules("DURATION")},
        {"--start", &Times::start, "No turn before; where a cycle begins", rules("DATE")},
        {"--end", &Times::end, "No turn after", rules("DATE")},
    };
    return all;
}

void add_series_options(const Command& verb, SeriesOptions& options) {
    add_text(
        verb,
        "--repeat",
        options.times.repeat,
        "Runs it again and again: R/PT10M, R3/2027-01-01/P1D, '0 0 12 ? * MON-FRI'",
        "TEXT"
    );
    add_text(verb, "--series", options.series, "The key of the series [the job's id]", "KEY");
    add_text(verb, "--group", options.group, "Its group, to be paused as a whole", "NAME");
    add_text(verb, "--description", options.description, "What it is for", "TEXT");
    for (const TypedParameter<SeriesTimesOptions>& one : series_times_parameters()) {
        verb.add_option(one.names, options.times.*one.into.text, one.meaning)
            .group(one.rules.heading)
            .type_name(one.rules.unit);
    }
    add_flag(verb, "--no-overlap", options.no_overlap, "A turn waits until the last one has ended");
    add_flag(
        verb, "--keep-data", options.keep_data, "A turn may hand a payload on; never two at a time"
    );
    add_flag(verb, "--no-recovery", options.no_recovery, "A turn whose node died is not run again");
    add_flag(
        verb,
        "--stop-on-dead-letter",
        options.stop_on_dead_letter,
        "A dead letter pauses the series"
    );
    add_flag(verb, "--paused", options.paused, "Begin paused: `series resume` lets it go");
}

}  // namespace jobstrand::cli
