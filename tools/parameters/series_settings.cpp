#include "timers/series/series_problems.hpp"
#include "timers/zone/zone.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/series_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/text/marked_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jobstrand::cli {

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
        throw CliError(ExitCode::wrong_usage, "--repeat is wrong " + with_mark(text, *error));
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
