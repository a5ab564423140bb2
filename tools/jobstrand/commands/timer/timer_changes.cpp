#include "tools/jobstrand/commands/timer/timer_changes.hpp"

#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using persistence::JobAnswer;

/// The series that a timer carries on; empty: none.
[[nodiscard]] std::string carried_on_by(Session& session, const std::string& id) {
    const auto placed = session.store().find(id);
    return placed && !placed->job.repeat.empty() ? schema::series_key_of(placed->job) : "";
}

}  // namespace

ExitCode fire_timers(Session& session, const FireOptions& options) {
    return for_each_id(session, options.ids, "fired", [&session](const std::string& id) {
        const std::string series = carried_on_by(session, id);
        const JobAnswer answer = session.store().fire_timer(id, session.database_now());
        if (answer == JobAnswer::done && !series.empty()) {
            session.tell(fmt::format("{} was the next turn of {}, which goes on", id, named(series))
            );
        }
        return answer;
    });
}

ExitCode reschedule_timers(Session& session, const RescheduleOptions& options) {
    const auto due = due_of(session, options.due);
    if (!due) {
        throw CliError(ExitCode::wrong_usage, "say when: --due DATE or --due-in DURATION");
    }
    return for_each_id(session, options.ids, "rescheduled", [&](const std::string& id) {
        const std::string series = carried_on_by(session, id);
        const JobAnswer answer = session.store().reschedule_timer(id, *due, session.database_now());
        if (answer == JobAnswer::done && !series.empty()) {
            session.tell(fmt::format(
                "only this turn of {} moves; for all: `jobstrand series reschedule`", named(series)
            ));
        }
        return answer;
    });
}

}  // namespace jobstrand::cli
