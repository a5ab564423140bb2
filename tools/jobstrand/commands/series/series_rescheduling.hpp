#pragma once

#include "tools/jobstrand/commands/series/series_options.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <string>

namespace jobstrand::cli {

struct SeriesRescheduleOptions {
    std::string key;
    SeriesTimesOptions times;
    bool no_calendar = false;
};

/// `series reschedule`: gives a series another repeat, under which it begins anew. Zone, rule for
/// changed clocks, calendar and misfire instruction stay unless they are given; start and end
/// belonged to the old repeat and do not.
[[nodiscard]] ExitCode reschedule_series(Session& session, const SeriesRescheduleOptions& options);

}  // namespace jobstrand::cli
