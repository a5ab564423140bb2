#include "tools/jobstrand/commands/timer/timer_changes.hpp"

#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using deadletter::BulkWatch;
using deadletter::ItemAnswer;
using deadletter::ItemResult;

/// Says first what a change means to the series that a timer carries on.
template <typename Remark>
[[nodiscard]] BulkWatch
with_remark(Session& session, const BulkWatch& watch, const Remark& remark) {
    return {.on_item = [&session, watch, remark](const ItemResult& item) {
        if (item.answer == ItemAnswer::done && !item.series.empty()) {
            session.tell(remark(item));
        }
        watch.on_item(item);
    }};
}

}  // namespace

ExitCode fire_timers(Session& session, const FireOptions& options) {
    const auto remark = [](const ItemResult& item) {
        return fmt::format(
            "{} was the next turn of {}, which goes on", item.id, named_series(item.series)
        );
    };
    const auto ids = job_ids(session, options.ids);
    return report_jobs(session, "fired", [&](const BulkWatch& watch) {
        session.jobs().fire(ids, with_remark(session, watch, remark));
    });
}

ExitCode reschedule_timers(Session& session, const RescheduleOptions& options) {
    const auto due = due_of(session, options.due);
    if (!due) {
        throw CliError(ExitCode::wrong_usage, "say when: --due DATE or --due-in DURATION");
    }
    const auto remark = [](const ItemResult& item) {
        return fmt::format(
            "only this turn of {} moves; for all: `jobstrand series reschedule`",
            named_series(item.series)
        );
    };
    const auto ids = job_ids(session, options.ids);
    return report_jobs(session, "rescheduled", [&](const BulkWatch& watch) {
        session.jobs().reschedule(ids, *due, with_remark(session, watch, remark));
    });
}

}  // namespace jobstrand::cli
