#include "tools/parameters/series_options.hpp"

namespace jobstrand::cli {

namespace {

constexpr const char* kGroup = "Repeating (with --repeat)";

[[nodiscard]] ParameterRules rules_of(const char* unit) {
    return {.unit = unit, .heading = kGroup, .may_be_empty = true};
}

}  // namespace

const Parameters<SeriesTimesOptions>& series_times_parameters() {
    using Times = SeriesTimesOptions;
    static const Parameters<Times> all{
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
    return all;
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
    const auto times = [](const Parameters<SeriesTimesOptions>& parameters) {
        return with_part<Options>({}, parameters, &Options::times);
    };
    return joined(times(repeat), names, times(series_times_parameters()), flags);
}

}  // namespace jobstrand::cli
