#pragma once

#include "executor/enqueue/new_job.hpp"
#include "schema/series.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/parameter.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

/// --due and --due-in, and what they mean for this operation.
[[nodiscard]] Parameters<DueOptions>
due_parameters(const char* date_meaning, const char* duration_meaning);

/// --zone and --calendar, for what the due options do not say themselves.
[[nodiscard]] Parameters<DueOptions> due_context_parameters();

/// When the turns of a series are due, as it was typed.
struct SeriesTimesOptions {
    std::optional<std::string> repeat;
    std::optional<std::string> zone;
    std::optional<std::string> dst;
    std::optional<std::string> calendar;
    std::optional<std::string> misfire;
    std::optional<std::string> misfire_threshold;
    std::optional<std::string> start;
    std::optional<std::string> end;
};

/// A new series, as it was typed.
struct SeriesOptions {
    SeriesTimesOptions times;
    std::optional<std::string> series;
    std::optional<std::string> group;
    std::optional<std::string> description;
    bool no_overlap = false;
    bool keep_data = false;
    bool no_recovery = false;
    bool stop_on_dead_letter = false;
    bool paused = false;

    /// Whether anything was given that a job without --repeat has no use for. Zone and calendar
    /// are of use to one with a due date.
    [[nodiscard]] bool is_any_given(bool has_due_date) const;
};

/// --zone, --start, ..., without --repeat.
[[nodiscard]] Parameters<SeriesTimesOptions> series_times_parameters();

/// The same, --repeat, and the options of a new series.
[[nodiscard]] Parameters<SeriesOptions> series_parameters();

/// Puts what was given into a series; the rest stays. Throws CliError wrong_usage for what cannot
/// be meant so; whether the texts fit each other is left to timers::problems_of_new.
void set_times(Session& session, schema::Series& series, const SeriesTimesOptions& options);

/// The same for all options of a new series.
void set_series(Session& session, executor::NewJob& job, const SeriesOptions& options);

}  // namespace jobstrand::cli
