#include "tools/operations/job/job_changing.hpp"

#include "persistence/operator_store.hpp"
#include "schema/batch.hpp"
#include "schema/job.hpp"
#include "schema/job_failure.hpp"
#include "schema/job_fields.hpp"
#include "schema/job_validation.hpp"
#include "tools/operations/job/batch_running.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/operations/job/job_showing.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <variant>

namespace jobstrand::cli {

using deadletter::BulkCounts;
using deadletter::JobAdmin;
using executor::RunObstacle;
using schema::Job;
using schema::JobPlace;

namespace {

/// Writes down one change; false: a batch cannot make it.
[[nodiscard]] bool write_down(const schema::JobChange& change, schema::BatchOrder& order) {
    if (const auto* const retries = std::get_if<schema::MemberChange<int>>(&change)) {
        order.retries = retries->value;
        return retries->member == &Job::retries;
    }
    if (const auto* const priority = std::get_if<schema::MemberChange<std::int64_t>>(&change)) {
        order.priority = priority->value;
        return priority->member == &Job::priority;
    }
    return false;
}

/// The same changes as a batch; nullopt: a batch can set retries, the priority and the due date
/// only, and dead letters get their retries when they are requeued.
[[nodiscard]] std::optional<schema::BatchOrder>
order_of_changes(schema::JobPlace place, const persistence::ManyChanges& changes) {
    schema::BatchOrder order{
        .operation = schema::BatchOperation::change,
        .place = place,
        .due_date = changes.due_date,
    };
    for (const schema::JobChange& change : changes.fields) {
        if (!write_down(change, order)) {
            return std::nullopt;
        }
    }
    const bool has_no_retries = order.retries && place == schema::JobPlace::dead_letter;
    return has_no_retries ? std::nullopt : std::optional(order);
}

void require_retry_cycle(const TypedField& typed) {
    if (const auto cycle = schema::parse_retry_cycle(*typed.text); !cycle) {
        throw WrongUsage(
            "{} must be like R3/PT10S or PT1S,PT5S, not {}: {}",
            name_of(*typed.option),
            quoted_if_needed(*typed.text),
            cycle.error().message
        );
    }
}

[[nodiscard]] persistence::ManyChanges changes_of(Session& session, const SetOptions& options) {
    persistence::ManyChanges changes;
    for (const TypedField& typed : options.fields) {
        if (!typed.text) {
            continue;
        }
        if (typed.field->is_about(&schema::Job::retry_cycle)) {
            require_retry_cycle(typed);
        }
        changes.fields.push_back(change_of(session, typed));
    }
    if (changes.fields.empty() && !options.due.is_any_given()) {
        throw WrongUsage("say what to set: {}; or when: --due TIME", names_of(options.fields));
    }
    changes.due_date = due_of(session, options.due);
    return changes;
}

void refuse_problems(const std::vector<std::string>& problems) {
    if (!problems.empty()) {
        throw WrongUsage(problems.front());
    }
}

/// What a job would be, before anything is changed.
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

void refuse_bad_values(
    Session& session,
    const deadletter::JobSelection& selection,
    const SetOptions& options,
    const persistence::JobChanges& changes
) {
    if (!selection.is_by_id()) {
        if (is_given(options.fields, &schema::Job::payload)) {
            throw WrongUsage("--payload is for jobs that are named");
        }
        refuse_bad_values(session, schema::Job{}, changes);
    }
    for (const std::string& id : selection.ids()) {
        if (const auto found = session.search().find(id)) {
            refuse_bad_values(session, found->placed.job, changes);
        }
    }
}

/// `why_refused` is for stderr, of those that were.
[[nodiscard]] ExitCode report_many(
    Session& session,
    const BulkCounts& counts,
    const Record& record,
    const std::string& why_refused
) {
    write_record(session.streams().out, session.format(), record);
    if (counts.locked > 0) {
        session.tell(
            "jobstrand: " +
            counted(
                counts.locked, "job is held by a node and stays", "jobs are held by a node and stay"
            )
        );
    }
    if (counts.refused > 0) {
        session.tell("jobstrand: " + why_refused);
    }
    return code_of(counts.done, counts.locked + counts.refused);
}

/// The jobs that are meant, and where they are looked for.
struct ChosenJobs {
    ChosenJobs(Session& session, const PlacedBulkOptions& options)
        : selection(selection_of(session, options.bulk)),
          place(options.place.empty() ? std::nullopt : std::optional(place_of(options.place))),
          places(JobAdmin::places_of(selection, place)) {}

    deadletter::JobSelection selection;
    std::optional<JobPlace> place;
    std::vector<JobPlace> places;
};

/// `acts` and `for_good` are parts of the sentence.
[[nodiscard]] std::string question(
    Session& session,
    const ChosenJobs& jobs,
    std::string_view acts,
    std::string_view for_good = {}
) {
    const JobPlace place = jobs.places.front();
    return fmt::format(
        "This {} {} of place {}{}{}.",
        acts,
        counted(session.search().count({place}, jobs.selection), "job", "jobs"),
        name_of(place),
        for_good,
        by_type(session.search().count_types(place, jobs.selection.filter()))
    );
}

[[nodiscard]] std::optional<ExitCode> run_as_batch(
    Session& session,
    const ChosenJobs& jobs,
    const schema::BatchOrder& order,
    const BulkOptions& options
) {
    return run_as_batch(
        session,
        {.order = order,
         .filter = jobs.selection.filter(),
         .total = session.search().count(jobs.places, jobs.selection)},
        {.in_background = options.in_background}
    );
}

[[nodiscard]] ExitCode show_dry_run(Session& session, const ChosenJobs& jobs) {
    return show_dry_run(
        session, session.search().preview(jobs.places, jobs.selection, kDryRunSample)
    );
}

/// Refuses what no job of the place can have.
void refuse_for_place(JobPlace place, const persistence::ManyChanges& changes) {
    const bool is_dead = place == JobPlace::dead_letter;
    if (changes.due_date && (is_dead || place == JobPlace::suspended)) {
        throw Refused("jobs of place {} wait for no date", name_of(place));
    }
}

/// Refused before anything is locked.
void refuse_if_not_runnable(Session& session, const schema::PlacedJob& placed) {
    const std::string& id = placed.job.id;
    switch (executor::obstacle_to_run(placed, session.engine().handlers())) {
        case RunObstacle::none:
            return;
        case RunObstacle::unknown_type:
            throw Refused(
                "job {} is of type {}, which this program cannot run",
                id,
                quoted_if_needed(placed.job.handler_type)
            );
        case RunObstacle::lacks_need:
            throw Refused(
                "job {} needs {}, which the configuration does not have, or which cannot be "
                "used here: `jobstrand config check` says why",
                id,
                quoted_if_needed(session.engine().handlers().lacks(placed.job))
            );
        case RunObstacle::stands_elsewhere:
            break;
    }
    const char* const hint =
        placed.place == JobPlace::timer         ? "fire it first: `jobstrand timer fire ID`"
        : placed.place == JobPlace::dead_letter ? "requeue it first: `jobstrand dead requeue ID`"
                                                : "only executable jobs can be run by hand";
    throw Refused("job {} stands in place {}: {}", id, name_of(placed.place), hint);
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
            throw NotFound(why_not_found(session, id));
        case executor::ManualRunAnswer::locked:
            throw Refused("a node holds job {}: try again later", id);
        case executor::ManualRunAnswer::lost_lock:
            throw Failed("the lock of job {} was lost while it ran: its result is dropped", id);
        case executor::ManualRunAnswer::done:
            break;
    }
    session.count_changes(1);
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

ExitCode set_jobs(Session& session, const SetOptions& options) {
    const persistence::ManyChanges changes = changes_of(session, options);
    const ChosenJobs jobs(session, options);
    refuse_bad_values(session, jobs.selection, options, changes.fields);
    if (options.bulk.dry_run) {
        return show_dry_run(session, jobs);
    }
    JobAdmin admin = session.jobs();
    const auto change = [&](const deadletter::BulkWatch& watch) {
        return admin.change(jobs.selection, jobs.place, changes, watch);
    };
    if (jobs.selection.is_by_id()) {
        return report_jobs(session, "set", [&](const deadletter::BulkWatch& watch) {
            change(with_remark_on_series(session, watch, only_this_turn_moves));
        });
    }
    const JobPlace place = jobs.places.front();
    refuse_for_place(place, changes);
    // Nothing is lost by it, so a script need not say so.
    if (!options.bulk.yes && session.streams().in_is_terminal) {
        confirm(session, false, question(session, jobs, "changes"));
    }
    if (const auto order = order_of_changes(place, changes)) {
        if (const auto as_batch = run_as_batch(session, jobs, *order, options.bulk)) {
            return *as_batch;
        }
    } else if (options.bulk.in_background) {
        throw WrongUsage("--background is for --retries, --priority, and due dates");
    }
    const BulkCounts counts = with_progress(session, "set", change);
    return report_many(
        session,
        counts,
        {number_field("set", counts.done),
         number_field("locked", counts.locked),
         number_field("refused", counts.refused)},
        counted(counts.refused, "job is", "jobs are") + " refused: `job set ID` says why of each"
    );
}

ExitCode run_job(Session& session, const NamedThing& job) {
    session.use_service_log();
    const deadletter::JobDetails found = find_job(session, job.name);
    refuse_if_not_runnable(session, found.placed);
    const std::string& id = found.placed.job.id;
    return report_run(session, id, session.engine().run_job(id));
}

ExitCode remove_jobs(Session& session, const PlacedBulkOptions& options) {
    const ChosenJobs jobs(session, options);
    if (options.bulk.dry_run) {
        return show_dry_run(session, jobs);
    }
    JobAdmin admin = session.jobs();
    const auto remove = [&](const deadletter::BulkWatch& watch) {
        return admin.remove(jobs.selection, jobs.place, watch);
    };
    if (jobs.selection.is_by_id()) {
        return report_jobs(session, "removed", remove);
    }
    if (!options.bulk.yes) {
        confirm(session, false, question(session, jobs, "removes", " for good"));
    }
    const schema::BatchOrder order{
        .operation = schema::BatchOperation::remove, .place = jobs.places.front()};
    if (const auto as_batch = run_as_batch(session, jobs, order, options.bulk)) {
        return *as_batch;
    }
    const BulkCounts counts = with_progress(session, "removed", remove);
    return report_many(
        session,
        counts,
        {number_field("removed", counts.done), number_field("locked", counts.locked)},
        counted(
            counts.refused, "job carries a series on and stays", "jobs carry series on and stay"
        ) + ": see `jobstrand series end`"
    );
}

}  // namespace jobstrand::cli
