#include "tools/operations/dead_requeue.hpp"

#include "deadletter/job_selection.hpp"
#include "schema/job_validation.hpp"
#include "tools/operations/job/batch_running.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/operations/job/job_showing.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/schedule_options.hpp"
#include "tools/session/session.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::cli {

using deadletter::BulkCounts;
using deadletter::BulkPace;
using deadletter::BulkWatch;
using deadletter::CauseSelection;
using deadletter::DeadLetters;
using deadletter::DeadSelection;
using deadletter::JobSelection;
using deadletter::ProbeEnd;
using deadletter::ProbePatience;
using deadletter::ProbeResult;
using deadletter::Revival;
using persistence::JobFilter;

Parameters<DeadBulkOptions> dead_group_parameter() {
    return {
        {"--group",
         &DeadBulkOptions::group,
         "All of one group; `dead groups` names them",
         {.unit = "GROUP", .may_be_empty = true}},
    };
}

DeadSelection dead_selection_of(Session& session, const DeadBulkOptions& options) {
    if (!options.group) {
        return selection_of(session, options);
    }
    if (!options.ids.empty() || options.all) {
        throw WrongUsage("--group goes with filters, not with ids or --all");
    }
    if (!deadletter::is_cause_id(*options.group)) {
        throw WrongUsage(
            "--group must be 12 hexadecimal digits as `jobstrand dead groups` shows them, not "
            "{}",
            quoted_if_needed(*options.group)
        );
    }
    DeadSelection selection =
        CauseSelection{.cause = *options.group, .filter = filter_of(session, options.filter)};
    if (session.dead_letters().count(selection) == 0) {
        throw NotFound("no dead letter is of the group {}", *options.group);
    }
    return selection;
}

namespace {

struct RequeueOptions {
    DeadBulkOptions bulk;
    std::optional<std::string> retries;  ///< Default: what a new job gets.
    DueOptions due;
    std::optional<std::string> rate;        ///< Jobs a second.
    std::optional<std::string> spread;      ///< A duration, over which they become due.
    bool probe = false;                     ///< One first; the others when it has succeeded.
    std::optional<std::string> probe_wait;  ///< How long the probe may take.
    std::optional<std::string> payload;     ///< Another one, of a single job.
};

[[nodiscard]] ProbePatience patience_of(const std::optional<std::string>& wait) {
    ProbePatience patience;
    patience.wait = schema::sleep_for;
    if (wait) {
        patience.most = duration_of("--probe-wait", *wait);
        if (patience.most < schema::Duration{0} || patience.most > std::chrono::days(1)) {
            throw WrongUsage("--probe-wait must be at most a day");
        }
    }
    return patience;
}

/// Why the others stay where they are.
[[noreturn]] void stop(const ProbeResult& result) {
    const std::string id = quoted_if_needed(result.id);
    switch (result.end) {
        case ProbeEnd::nothing_to_try:
            throw NotFound("there is no such dead letter");
        case ProbeEnd::not_requeued:
            throw Refused("{}: no other was requeued", why_not_job(result.item));
        case ProbeEnd::failed:
            throw Failed(
                "job {} failed again and stands in place {}: {}\nno other was requeued",
                id,
                name_of(result.place.value()),
                printable(result.message)
            );
        case ProbeEnd::suspended:
            throw Failed(
                "job {} is suspended and does not run: `jobstrand job show {}` says why\nno "
                "other was requeued",
                id,
                id
            );
        case ProbeEnd::succeeded:
        case ProbeEnd::not_ended:
            break;
    }
    throw Failed(
        "job {} has not ended and stands in place {}: is there a node for it? `jobstrand job "
        "show {}` says what it waits for; --probe-wait waits longer\nno other was requeued",
        id,
        result.place ? name_of(*result.place) : "",
        id
    );
}

/// `--probe`: requeues the first of a selection for one attempt, waits until it has ended, and
/// returns its id when it succeeded. Throws CliError with what it came to otherwise; then no other
/// was touched. `wait` is how long it waits at most, as it was typed.
[[nodiscard]] std::string try_first(
    Session& session,
    const deadletter::DeadSelection& selection,
    const std::optional<std::string>& wait
) {
    const ProbeResult result = session.dead_letters().probe(selection, patience_of(wait));
    const bool was_requeued =
        result.end != ProbeEnd::nothing_to_try && result.end != ProbeEnd::not_requeued;
    session.count_changes(was_requeued ? 1 : 0);
    if (result.end != ProbeEnd::succeeded) {
        stop(result);
    }
    session.tell("job {} succeeded; now the others", quoted_if_needed(result.id));
    return result.id;
}

/// Faster than any database: no pace at all.
constexpr std::int64_t kFastest = 1'000'000;

/// Refused jobs that are told one by one.
constexpr std::size_t kNamed = 10;

[[nodiscard]] BulkPace pace_of(const std::string& text) {
    return {
        .per_second = whole_number("--rate", text, 1, kFastest),
        .wait = schema::sleep_for,
    };
}

[[nodiscard]] schema::Duration spread_of(const std::string& text) {
    const schema::Duration spread = duration_of("--spread", text);
    if (spread < std::chrono::seconds(1) || spread > std::chrono::days(366)) {
        throw WrongUsage(
            "--spread must be from a second to a year, not {}", quoted_if_needed(text)
        );
    }
    return spread;
}

[[nodiscard]] Revival revival_of(Session& session, const RequeueOptions& options) {
    Revival revival{
        .retries = options.retries ? retries_of(*options.retries)
                                   : session.settings().executor.retry.default_attempts,
        .due_date = due_of(session, options.due),
    };
    if (options.spread) {
        revival.spread = spread_of(*options.spread);
    }
    if (options.rate) {
        if (!options.bulk.in_background) {
            session.refuse_to_wait("--rate", "use --spread or --background");
        }
        revival.pace = pace_of(*options.rate);
    }
    return revival;
}

/// Runs an operation on all that match, says how many there were, and names the first ones that
/// were refused. `more` is added to the record.
template <typename Operation>
[[nodiscard]] ExitCode report_all(
    Session& session,
    std::string_view done_word,
    const Operation& operation,
    const Record& more = {}
) {
    std::vector<std::string> refused;
    const BulkCounts counts = with_progress(session, done_word, [&](BulkWatch watch) {
        watch.on_item = [&refused](const deadletter::ItemResult& item) {
            if (item.answer == deadletter::ItemAnswer::refused && refused.size() < kNamed) {
                refused.push_back(why_not_job(item));
            }
        };
        return operation(watch);
    });
    for (const std::string& why : refused) {
        session.tell("jobstrand: " + why);
    }
    Record record{number_field(done_word, counts.done), number_field("skipped", counts.skipped)};
    if (counts.refused > 0) {
        record.push_back(number_field("refused", counts.refused));
    }
    record.insert(record.end(), more.begin(), more.end());
    write_record(session.streams().out, session.format(), record);
    return code_of(counts.done, counts.refused);
}

/// `This requeues 3 dead letters: 2 mail, 1 report.`
[[nodiscard]] std::string
question(DeadLetters& dead, const char* form, const DeadSelection& selection) {
    const std::string count = counted(dead.count(selection), "dead letter", "dead letters");
    const auto* const jobs = std::get_if<JobSelection>(&selection);
    const std::string types =
        jobs != nullptr ? by_type(dead.count_types(jobs->filter())) : std::string();
    return fmt::format(fmt::runtime(form), count, types);
}

/// `--payload`: gives the one job that was named another payload, as `job set` does.
void replace_payload(Session& session, const DeadSelection& selection, const std::string& text) {
    const std::vector<std::string>* const ids = ids_in(selection);
    if (ids == nullptr || ids->size() != 1) {
        throw WrongUsage("--payload goes with the id of one dead letter");
    }
    const deadletter::JobDetails found =
        find_job(session, ids->front(), schema::JobPlace::dead_letter);
    schema::Job edited = found.placed.job;
    edited.payload = payload_of(session, text);
    std::vector<std::string> problems =
        schema::problems_of_field(schema::field_of(&schema::Job::payload), edited);
    if (problems.empty()) {
        problems = problems_for_service(edited, session.settings());
    }
    if (!problems.empty()) {
        throw WrongUsage(problems.front());
    }
    const deadletter::ItemResult item = session.jobs().change(
        edited.id, {.fields = {schema::set_to(&schema::Job::payload, edited.payload)}}
    );
    if (item.answer != deadletter::ItemAnswer::done) {
        throw NotFound(why_not_job(item));
    }
}

[[nodiscard]] schema::BatchOrder order_of(const Revival& revival) {
    return {
        .operation = schema::BatchOperation::requeue,
        .retries = revival.retries,
        .due_date = revival.due_date,
        .spread = revival.spread,
        .per_second = revival.pace ? revival.pace->per_second : 0,
    };
}

/// What is meant as a batch. Precondition: nothing was named.
[[nodiscard]] persistence::NewBatch
batch_of(Session& session, const DeadSelection& selection, schema::BatchOrder order) {
    const std::int64_t total = session.dead_letters().count(selection);
    if (const auto* const group = std::get_if<deadletter::CauseSelection>(&selection)) {
        order.cause = group->cause;
        return {.order = std::move(order), .filter = group->filter, .total = total};
    }
    const JobFilter& filter = std::get<JobSelection>(selection).filter();
    return {.order = std::move(order), .filter = filter, .total = total};
}

/// Of ids, those behind the first: the probe is gone.
[[nodiscard]] DeadSelection without_first(const DeadSelection& selection) {
    const std::vector<std::string>* const ids = ids_in(selection);
    return ids == nullptr ? selection
                          : DeadSelection(JobSelection::these({ids->begin() + 1, ids->end()}));
}

/// What a filter matches is asked for on a terminal only, because nothing is lost by it. An id that
/// is already requeued is skipped, so that a call can be repeated.
[[nodiscard]] ExitCode requeue_dead(Session& session, const RequeueOptions& options) {
    if (options.probe_wait && !options.probe) {
        throw WrongUsage("--probe-wait goes with --probe");
    }
    if (options.probe) {
        session.refuse_to_wait("--probe", "requeue one of them, look how it ends, then the others");
    }
    DeadSelection selection = dead_selection_of(session, options.bulk);
    const Revival revival = revival_of(session, options);
    DeadLetters& dead = session.dead_letters();
    if (options.bulk.dry_run) {
        return show_dry_run(session, dead.preview(selection, kDryRunSample));
    }
    const bool is_by_id = ids_in(selection) != nullptr;
    // Nothing is lost by it, so a script need not say so.
    if (!is_by_id && !options.bulk.yes && session.streams().in_is_terminal) {
        confirm(session, false, question(dead, "This requeues {}{}.", selection));
    }
    if (options.payload) {
        replace_payload(session, selection, *options.payload);
    }
    Record probed;
    if (options.probe) {
        probed.push_back(text_field("probe", try_first(session, selection, options.probe_wait)));
        selection = without_first(selection);
    }
    const auto requeue = [&](const BulkWatch& watch) {
        return dead.requeue(selection, revival, watch);
    };
    if (is_by_id) {
        return report_jobs(session, "requeued", requeue);
    }
    const auto as_batch = run_as_batch(
        session,
        batch_of(session, selection, order_of(revival)),
        {.in_background = options.bulk.in_background, .more = probed}
    );
    return as_batch ? *as_batch : report_all(session, "requeued", requeue, probed);
}

[[nodiscard]] ExitCode remove_dead(Session& session, const DeadBulkOptions& options) {
    const DeadSelection selection = dead_selection_of(session, options);
    DeadLetters& dead = session.dead_letters();
    if (options.dry_run) {
        return show_dry_run(session, dead.preview(selection, kDryRunSample));
    }
    const auto remove = [&](const BulkWatch& watch) { return dead.remove(selection, watch); };
    if (ids_in(selection) != nullptr) {
        return report_jobs(session, "removed", remove);
    }
    if (!options.yes) {
        confirm(session, false, question(dead, "This removes {} for good{}.", selection));
    }
    const auto as_batch = run_as_batch(
        session,
        batch_of(session, selection, {.operation = schema::BatchOperation::remove}),
        {.in_background = options.in_background}
    );
    return as_batch ? *as_batch : report_all(session, "removed", remove);
}

/// --group, ids, filters, --all, --dry-run, --yes, --background.
[[nodiscard]] Parameters<DeadBulkOptions> dead_choice() {
    return joined(
        dead_group_parameter(),
        of_base<DeadBulkOptions>(joined(bulk_job_parameters(), background_parameter()))
    );
}

[[nodiscard]] Parameters<RequeueOptions> requeueing() {
    using Target = ParameterTarget<RequeueOptions>;
    return joined(
        Parameters<RequeueOptions>{
            {"--retries",
             Target::raw(ParameterKind::number, &RequeueOptions::retries),
             "New attempts (default: as for a new job)"}},
        of_part(
            joined(
                due_parameters(
                    "Not before a time, any timer text", "Not before a time from now: 10m, 2h"
                ),
                due_context_parameters()
            ),
            &RequeueOptions::due
        ),
        Parameters<RequeueOptions>{
            {"--rate",
             Target::raw(ParameterKind::number, &RequeueOptions::rate),
             "Requeue so many a second at most",
             {.unit = "N"}},
            {"--spread",
             Target::raw(ParameterKind::duration, &RequeueOptions::spread),
             "Spread their due dates over this time",
             {.unit = "DURATION"}},
            {"--probe", &RequeueOptions::probe, "One first; the others when it has succeeded"},
            {"--probe-wait",
             Target::raw(ParameterKind::duration, &RequeueOptions::probe_wait),
             "How long the first may take (default 5m)",
             {.unit = "DURATION"}},
            {"--payload",
             &RequeueOptions::payload,
             "Another payload of one job: JSON, or @FILE, or - for stdin",
             {.unit = "JSON", .may_be_empty = true}}},
        of_part(dead_choice(), &RequeueOptions::bulk)
    );
}

}  // namespace

std::vector<Operation> dead_change_operations() {
    return {
        writing_operation(
            {.words = "dead requeue",
             .summary = "Give dead letters new attempts",
             .examples = "  jobstrand dead requeue --all --retries 1\n"
                         "  jobstrand dead requeue --type send-invoice --spread PT10M\n"
                         "  jobstrand dead requeue --message timeout --rate 50 --yes\n"
                         "  jobstrand dead requeue --all --rate 500 --background\n"
                         "  jobstrand dead requeue --group 365d5653fd0c --probe --spread PT10M\n"
                         "  jobstrand dead requeue 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --payload "
                         "@mended.json\n"
                         "  jobstrand dead requeue --message timeout --dry-run\n"
                         "  jobstrand dead ls --failed-after 2026-11-20 -o name | jobstrand dead "
                         "requeue -",
             .path = "POST /api/v1/dead/requeue",
             .honours_scope = true},
            requeueing(),
            described_change("requeued", "skipped"),
            requeue_dead
        ),
        writing_operation(
            {.words = "dead rm",
             .summary = "Delete dead letters for good",
             .examples = "  jobstrand dead rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                         "  jobstrand dead rm --created-before 2026-01-01 --yes\n"
                         "  jobstrand dead rm --group 365d5653fd0c --dry-run",
             .path = "POST /api/v1/dead/rm",
             .honours_scope = true},
            dead_choice(),
            described_change("removed", "skipped"),
            remove_dead
        ),
    };
}

}  // namespace jobstrand::cli
