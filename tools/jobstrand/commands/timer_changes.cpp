#include "tools/jobstrand/commands/timer_changes.hpp"

#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/option_values.hpp"

namespace jobstrand::cli {

ExitCode fire_timers(Session& session, const FireOptions& options) {
    return for_each_id(session, options.ids, "fired", [&session](const std::string& id) {
        return session.store().fire_timer(id, session.database_now());
    });
}

ExitCode reschedule_timers(Session& session, const RescheduleOptions& options) {
    const auto due = due_of(session, options.due, options.due_in);
    if (!due) {
        throw CliError(ExitCode::wrong_usage, "say when: --due DATE or --due-in DURATION");
    }
    return for_each_id(session, options.ids, "rescheduled", [&](const std::string& id) {
        return session.store().reschedule_timer(id, *due, session.database_now());
    });
}

}  // namespace jobstrand::cli
