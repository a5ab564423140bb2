#include "tools/jobstrand/commands/job/job_changes.hpp"

#include "schema/job_validation.hpp"
#include "schema/retry_policy.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/job/job_checks.hpp"
#include "tools/jobstrand/commands/job/job_showing.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using executor::RunObstacle;
using schema::JobPlace;

void require_retry_cycle(const TypedField& typed) {
    if (const auto cycle = schema::parse_retry_cycle(*typed.text); !cycle) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format(
                "{} must be like R3/PT10S or PT1S,PT5S, not {}: {}",
                name_of(*typed.option),
                quoted_if_needed(*typed.text),
                cycle.error().message
            )
        );
    }
}

/// Without --due, which is no change of a column: the timer's series has to know.
[[nodiscard]] persistence::JobChanges changes_of(Session& session, const SetOptions& options) {
    persistence::JobChanges changes;
    for (const TypedField& typed : options.fields) {
        if (!typed.text) {
            continue;
        }
        if (typed.field->is_about(&schema::Job::retry_cycle)) {
            require_retry_cycle(typed);
        }
        changes.push_back(change_of(session, typed));
    }
    if (changes.empty() && !options.due.is_any_given()) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format("say what to set: {}; or when: --due TIME", names_of(options.fields))
        );
    }
    return changes;
}

void refuse_problems(const std::vector<std::string>& problems) {
    if (!problems.empty()) {
        throw CliError(ExitCode::wrong_usage, problems.front());
    }
}

/// Before anything is changed.
void refuse_bad_values(Session& session, schema::Job job, const persistence::JobChanges& changes) {
    for (const schema::JobChange& change : changes) {
        const schema::JobField& field = schema::field_of(member_of(change));
        carry_out(change, job);
        refuse_problems(schema::problems_of_field(field, job));
        if (field.is_about(&schema::Job::payload)) {
            refuse_problems(problems_for_service(job, session.settings()));
        }
    }
}

/// What would do it instead, where a due date means nothing.
[[noreturn]] void refuse_due_date(const std::string& id, JobPlace place) {
    const char* const hint =
        place == JobPlace::dead_letter
            ? "say when as you requeue it: `jobstrand dead requeue ID --due TIME`"
            : "activate what it belongs to first: `jobstrand job show ID` says what that is";
    throw CliError(
        ExitCode::refused, fmt::format("job {} stands in place {}: {}", id, name_of(place), hint)
    );
}

[[nodiscard]] deadletter::ItemResult
set_due_date(Session& session, const std::string& id, schema::TimePoint due) {
    const deadletter::ItemResult item = session.jobs().set_due_date(id, due);
    if (item.refusal == deadletter::Refusal::waits_for_no_date) {
        refuse_due_date(id, item.place.value());
    }
    if (item.answer == deadletter::ItemAnswer::done && !item.series.empty()) {
        session.tell(fmt::format(
            "only this turn of {} moves; for all: `jobstrand series reschedule`", named(item.series)
        ));
    }
    return item;
}

/// Refused before anything is locked.
void refuse_if_not_runnable(Session& session, const schema::PlacedJob& placed) {
    const std::string& id = placed.job.id;
    switch (executor::obstacle_to_run(placed, session.engine().handlers())) {
        case RunObstacle::none:
            return;
        case RunObstacle::unknown_type:
            throw CliError(
                ExitCode::refused,
                fmt::format(
                    "job {} is of type {}, which this program cannot run",
                    id,
                    quoted_if_needed(placed.job.handler_type)
                )
            );
        case RunObstacle::lacks_need:
            throw CliError(
                ExitCode::refused,
                fmt::format(
                    "job {} needs {}, which the configuration does not have",
                    id,
                    quoted_if_needed(session.engine().handlers().lacks(placed.job))
                )
            );
        case RunObstacle::stands_elsewhere:
            break;
    }
    const char* const hint =
        placed.place == JobPlace::timer         ? "fire it first: `jobstrand timer fire ID`"
        : placed.place == JobPlace::dead_letter ? "requeue it first: `jobstrand dead requeue ID`"
                                                : "only executable jobs can be run by hand";
    throw CliError(
        ExitCode::refused,
        fmt::format("job {} stands in place {}: {}", id, name_of(placed.place), hint)
    );
}

/// It was there a moment ago.
[[nodiscard]] std::string why_not_found(Session& session, const std::string& id) {
    deadletter::ItemResult item{.id = id, .answer = deadletter::ItemAnswer::not_found};
    if (const auto found = session.search().find(id)) {
        item.place = found->placed.place;
    }
    return why_not_job(item);
}

[[nodiscard]] ExitCode
report_run(Session& session, const std::string& id, const executor::ManualRunResult& result) {
    switch (result.answer) {
        case executor::ManualRunAnswer::not_found:
            throw CliError(ExitCode::not_found, why_not_found(session, id));
        case executor::ManualRunAnswer::locked:
            throw CliError(
                ExitCode::refused, fmt::format("a node holds job {}: try again later", id)
            );
        case executor::ManualRunAnswer::lost_lock:
            throw CliError(
                ExitCode::failed,
                fmt::format("the lock of job {} was lost while it ran: its result is dropped", id)
            );
        case executor::ManualRunAnswer::done:
            break;
    }
    const auto& transition = result.transition;
    const std::string_view place = transition && transition->to ? name_of(*transition->to) : "";
    const std::string_view reason =
        transition ? name_of(transition->reason) : name_of(schema::TransitionReason::completed);
    write_record(
        session.streams().out,
        session.format(),
        {
            text_field("id", id),
            text_field("outcome", reason),
            text_or_null_field("place", place),
            text_or_null_field(
                "exceptionMessage",
                transition && transition->failure ? transition->failure->message : ""
            ),
        }
    );
    return place.empty() ? ExitCode::done : ExitCode::failed;
}

}  // namespace

ExitCode set_job(Session& session, const SetOptions& options) {
    const persistence::JobChanges changes = changes_of(session, options);
    const deadletter::JobDetails found = find_job(session, options.id);
    refuse_bad_values(session, found.placed.job, changes);
    const auto due = due_of(session, options.due);
    const std::string& id = found.placed.job.id;
    deadletter::ItemResult item{.id = id};
    // First: then no node takes the job before the rest is set.
    if (due) {
        item = set_due_date(session, id, *due);
    }
    if (!changes.empty() && item.answer == deadletter::ItemAnswer::done) {
        item = session.jobs().change(id, changes);
    }
    if (item.refusal == deadletter::Refusal::has_no_retries) {
        throw CliError(
            ExitCode::refused,
            "a dead letter has no retries: use `jobstrand dead requeue ID --retries N`"
        );
    }
    return report_jobs(session, "set", [&](const deadletter::BulkWatch& watch) {
        watch.on_item(item);
    });
}

ExitCode run_job(Session& session, const RunOptions& options) {
    session.use_service_log();
    const deadletter::JobDetails found = find_job(session, options.id);
    refuse_if_not_runnable(session, found.placed);
    const std::string& id = found.placed.job.id;
    return report_run(session, id, session.engine().run_job(id));
}

}  // namespace jobstrand::cli
