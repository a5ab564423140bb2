#include "tools/jobstrand/commands/series/series_rescheduling.hpp"

#include "timers/series/series_problems.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/job/job_checks.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using schema::Series;

[[nodiscard]] Series
new_times(Session& session, Series series, const SeriesRescheduleOptions& options) {
    if (!options.times.repeat) {
        throw CliError(ExitCode::wrong_usage, "say when it repeats from now on: --repeat TEXT");
    }
    if (options.no_calendar && options.times.calendar) {
        throw CliError(ExitCode::wrong_usage, "--calendar and --no-calendar exclude each other");
    }
    series.start.reset();
    series.end.reset();
    if (options.no_calendar) {
        series.calendar.clear();
    }
    set_times(session, series, options.times);
    return series;
}

void refuse_bad(Session& session, const Series& times) {
    const JobCheckContext context = job_check_context(session);
    const auto problems =
        timers::problems_of_new(times, context.calendars, std::nullopt, context.now);
    if (!problems.empty()) {
        throw CliError(ExitCode::wrong_usage, fmt::format("{}", fmt::join(problems, "\n")));
    }
}

}  // namespace

ExitCode reschedule_series(Session& session, const SeriesRescheduleOptions& options) {
    const persistence::SeriesSummary current = find_series(session, options.key);
    const Series times = new_times(session, current.series, options);
    refuse_bad(session, times);
    const deadletter::ItemResult item = session.series().reschedule(times);
    if (item.answer == deadletter::ItemAnswer::refused) {
        throw CliError(ExitCode::refused, why_not_series(item));
    }
    ItemReport report(
        session, {.done = "rescheduled", .field = "series", .why_not = why_not_series}
    );
    report.add(item);
    return report.finish();
}

}  // namespace jobstrand::cli
