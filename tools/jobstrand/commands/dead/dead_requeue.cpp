#include "tools/jobstrand/commands/dead/dead_requeue.hpp"

#include "deadletter/dead_letters.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/job/job_removal.hpp"
#include "tools/jobstrand/output/progress.hpp"

#include <fmt/format.h>

#include <span>

namespace jobstrand::cli {

namespace {

using deadletter::Revival;
using persistence::JobAnswer;
using schema::JobPlace;

[[nodiscard]] Revival revival_of(Session& session, const RequeueOptions& options) {
    return {
        .retries = options.retries ? retries_of(*options.retries)
                                   : session.settings().executor.retry.default_attempts,
        .due_date = due_of(session, options.due),
    };
}

[[nodiscard]] ExitCode
requeue_ids(Session& session, const std::vector<std::string>& ids, const Revival& revival) {
    ItemReport report(session, {.done = "requeued"});
    for (const std::string& id : ids) {
        const JobAnswer answer =
            session.store()
                .requeue(
                    std::span(&id, 1), revival.retries, revival.due_date, session.database_now()
                )
                .front();
        if (answer == JobAnswer::done) {
            report.done(id);
        } else if (session.store().find(id)) {
            report.skipped(id, why_not_found(session, id));
        } else {
            report.not_found(id, why_not_found(session, id));
        }
    }
    return report.finish();
}

[[nodiscard]] deadletter::OnProgress show_on(Progress& progress) {
    return [&progress](const deadletter::Progress& at) {
        progress.show(at.done, at.total);
        return true;
    };
}

void write_result(Session& session, std::string_view word, const deadletter::Progress& result) {
    write_record(
        session.streams().out,
        session.format(),
        {number_field(word, result.done), number_field("skipped", result.skipped)}
    );
}

}  // namespace

ExitCode requeue_dead(Session& session, const RequeueOptions& options) {
    const BulkSelection selection = selection_of(options.bulk);
    const Revival revival = revival_of(session, options);
    if (options.bulk.dry_run) {
        show_dry_run(session, {JobPlace::dead_letter}, selection);
        return ExitCode::done;
    }
    if (selection.is_by_id()) {
        return requeue_ids(session, selection.ids, revival);
    }
    Progress progress(session.streams(), session.clock(), "requeued");
    write_result(
        session,
        "requeued",
        session.engine().dead_letters().requeue(selection.filter, revival, show_on(progress))
    );
    return ExitCode::done;
}

ExitCode remove_dead(Session& session, const BulkOptions& options) {
    const BulkSelection selection = selection_of(options);
    if (options.dry_run || selection.is_by_id()) {
        return remove_jobs(session, {.bulk = options, .place = "dead"});
    }
    const std::int64_t count = session.store().count(JobPlace::dead_letter, selection.filter);
    confirm(session, options.yes, fmt::format("This removes {} dead letters for good.", count));
    Progress progress(session.streams(), session.clock(), "removed");
    write_result(
        session,
        "removed",
        session.engine().dead_letters().remove(selection.filter, show_on(progress))
    );
    return ExitCode::done;
}

}  // namespace jobstrand::cli
