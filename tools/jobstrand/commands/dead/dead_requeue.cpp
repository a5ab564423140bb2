#include "tools/jobstrand/commands/dead/dead_requeue.hpp"

#include "tools/jobstrand/commands/item_report.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using deadletter::BulkCounts;
using deadletter::BulkWatch;
using deadletter::DeadLetters;
using deadletter::Revival;

[[nodiscard]] Revival revival_of(Session& session, const RequeueOptions& options) {
    return {
        .retries = options.retries ? retries_of(*options.retries)
                                   : session.settings().executor.retry.default_attempts,
        .due_date = due_of(session, options.due),
    };
}

/// Runs an operation on all that match a filter, and says how many there were.
template <typename Operation>
[[nodiscard]] ExitCode
report_all(Session& session, std::string_view done_word, const Operation& operation) {
    const BulkCounts counts = with_progress(session, done_word, operation);
    write_record(
        session.streams().out,
        session.format(),
        {number_field(done_word, counts.done), number_field("skipped", counts.skipped)}
    );
    return ExitCode::done;
}

}  // namespace

ExitCode requeue_dead(Session& session, const RequeueOptions& options) {
    const auto selection = selection_of(options.bulk);
    const Revival revival = revival_of(session, options);
    DeadLetters& dead = session.dead_letters();
    if (options.bulk.dry_run) {
        return show_dry_run(session, dead.preview(selection, kDryRunSample));
    }
    const auto requeue = [&](const BulkWatch& watch) {
        return dead.requeue(selection, revival, watch);
    };
    return selection.is_by_id() ? report_jobs(session, "requeued", requeue)
                                : report_all(session, "requeued", requeue);
}

ExitCode remove_dead(Session& session, const BulkOptions& options) {
    const auto selection = selection_of(options);
    DeadLetters& dead = session.dead_letters();
    if (options.dry_run) {
        return show_dry_run(session, dead.preview(selection, kDryRunSample));
    }
    const auto remove = [&](const BulkWatch& watch) { return dead.remove(selection, watch); };
    if (selection.is_by_id()) {
        return report_jobs(session, "removed", remove);
    }
    const std::int64_t count = dead.count(selection);
    confirm(session, options.yes, fmt::format("This removes {} dead letters for good.", count));
    return report_all(session, "removed", remove);
}

}  // namespace jobstrand::cli
