#include "tools/operations/job/job_removing.hpp"

#include "tools/operations/batch/batch_running.hpp"
#include "tools/parameters/item_report.hpp"
#include "tools/parameters/job_listing.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using deadletter::BulkCounts;
using deadletter::JobAdmin;

[[nodiscard]] ExitCode report_removed(Session& session, const BulkCounts& counts) {
    write_record(
        session.streams().out,
        session.format(),
        {number_field("removed", counts.done), number_field("locked", counts.locked)}
    );
    if (counts.locked > 0) {
        session.tell(fmt::format("jobstrand: {} jobs are held by a node and stay", counts.locked));
    }
    if (counts.refused > 0) {
        session.tell(fmt::format(
            "jobstrand: {} jobs carry series on and stay: see `jobstrand series end`",
            counts.refused
        ));
    }
    if (counts.locked + counts.refused == 0) {
        return ExitCode::done;
    }
    return counts.done > 0 ? ExitCode::partly_done : ExitCode::refused;
}

[[nodiscard]] std::string
question(Session& session, schema::JobPlace place, const deadletter::JobSelection& selection) {
    return fmt::format(
        "This removes {} jobs of place {} for good{}.",
        session.search().count({place}, selection),
        name_of(place),
        by_type(session.search().count_types(place, selection.filter()))
    );
}

}  // namespace

ExitCode remove_jobs(Session& session, const RemoveOptions& options) {
    const auto selection = selection_of(session, options.bulk);
    const auto place =
        options.place.empty() ? std::nullopt : std::optional(place_of(options.place));
    const auto places = JobAdmin::places_of(selection, place);
    if (options.bulk.dry_run) {
        return show_dry_run(session, session.search().preview(places, selection, kDryRunSample));
    }
    JobAdmin admin = session.jobs();
    if (selection.is_by_id()) {
        return report_jobs(session, "removed", [&](const deadletter::BulkWatch& watch) {
            admin.remove(selection, place, watch);
        });
    }
    if (!options.bulk.yes) {
        confirm(session, false, question(session, places.front(), selection));
    }
    const auto as_batch = run_as_batch(
        session,
        {.order = {.operation = schema::BatchOperation::remove, .place = places.front()},
         .filter = selection.filter(),
         .total = session.search().count(places, selection)},
        {.in_background = options.bulk.in_background}
    );
    if (as_batch) {
        return *as_batch;
    }
    return report_removed(
        session,
        with_progress(
            session,
            "removed",
            [&](const deadletter::BulkWatch& watch) {
                return admin.remove(selection, place, watch);
            }
        )
    );
}

}  // namespace jobstrand::cli
