#include "tools/operations/job/job_adding.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/job_validation.hpp"
#include "tools/operations/job/job_checks.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/operations/job/job_import.hpp"
#include "tools/operations/job/job_state.hpp"
#include "tools/text/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using schema::Job;

[[nodiscard]] schema::KeyRule key_rule_of(const AddOptions& options) {
    schema::KeyRule rule;
    if (options.on_duplicate) {
        const auto named = schema::on_duplicate_named(*options.on_duplicate);
        if (!named) {
            throw CliError(ExitCode::wrong_usage, "--on-duplicate must be reject, keep or replace");
        }
        rule.on_duplicate = *named;
    }
    if (options.unique_for) {
        rule.period = duration_of("--unique-for", *options.unique_for);
    }
    if (!is_given(options.fields, &Job::unique_key) &&
        (options.on_duplicate || options.unique_for)) {
        throw CliError(
            ExitCode::wrong_usage, "--on-duplicate and --unique-for go with --unique-key"
        );
    }
    return rule;
}

[[nodiscard]] NewJob new_job_of(Session& session, const AddOptions& options) {
    NewJob content;
    Job& job = content.job;
    for (const TypedField& typed : options.fields) {
        if (typed.text) {
            carry_out(change_of(session, typed), job);
        }
    }
    DueOptions due = options.due;
    due.zone = options.series.times.zone;
    due.calendar = options.series.times.calendar;
    job.due_date = due_of(session, due);
    if (options.external) {
        job.type = schema::kExternalWorkerType;
    }
    content.key_rule = key_rule_of(options);
    if (options.series.times.repeat) {
        set_series(session, content, options.series);
    } else if (options.series.is_any_given(options.due.is_any_given())) {
        throw CliError(
            ExitCode::wrong_usage,
            "say when it repeats: --repeat TEXT, or leave --series and the like out"
        );
    }
    return content;
}

void refuse_bad(Session& session, const NewJob& job) {
    std::vector<std::string> problems = schema::problems_of(job.job);
    if (std::string of_rule = schema::problem_of(job.key_rule, job.job.unique_key);
        !of_rule.empty()) {
        problems.push_back(std::move(of_rule));
    }
    if (problems.empty()) {
        // A plain job needs no database to be checked.
        problems = problems_of_new(
            job,
            job.repeats() ? job_check_context(session) : JobCheckContext{session.settings(), {}, {}}
        );
    }
    if (!problems.empty()) {
        throw CliError(ExitCode::wrong_usage, fmt::format("{}", fmt::join(problems, "\n")));
    }
}

[[nodiscard]] bool has_fields(const AddOptions& options) {
    return std::ranges::any_of(
               options.fields, [](const TypedField& typed) { return typed.text.has_value(); }
           ) ||
           options.due.is_any_given() || options.external || options.on_duplicate ||
           options.unique_for || options.series.times.repeat || options.series.is_any_given(false);
}

void report_added(Session& session, const NewJob& job, const schema::Enqueued& enqueued) {
    const std::string& id = enqueued.id;
    Record record{text_field("id", id)};
    if (job.repeats()) {
        record.push_back(text_field("series", job.job.series.empty() ? id : job.job.series));
    }
    if (!job.job.unique_key.empty()) {
        record.push_back(flag_field("isNew", enqueued.is_added));
        record.push_back(text_or_null_field("replacedJob", enqueued.replaced));
    }
    const bool is_plain = session.format() == OutputFormat::table;
    write_record(session.streams().out, is_plain ? OutputFormat::name : session.format(), record);
}

/// Whoever adds a job expects that it is added, and that no other is gone.
void print_key(Session& session, const NewJob& job, const schema::Enqueued& enqueued) {
    const std::string key = quoted_if_needed(job.job.unique_key);
    if (!enqueued.is_added) {
        session.tell(
            fmt::format("nothing was added: job {} has the unique key {}", enqueued.id, key)
        );
    } else if (!enqueued.replaced.empty()) {
        session.tell(fmt::format("it took the place of job {}", enqueued.replaced));
    }
}

/// Whoever adds a job expects it to run.
void print_suspended(Session& session, const NewJob& job, const std::string& id) {
    const bool belongs_to_something = !job.job.process_instance_id.empty() ||
                                      !job.job.process_definition_id.empty() || job.repeats();
    if (!belongs_to_something) {
        return;
    }
    for (const persistence::Suspension& suspension : session.search().why_suspended(id)) {
        session.tell("stored suspended: " + in_words(suspension));
    }
}

[[nodiscard]] ExitCode add_one(Session& session, const AddOptions& options) {
    if (!is_given(options.fields, &Job::handler_type)) {
        throw CliError(ExitCode::wrong_usage, "say which job: --type TYPE, or --from FILE");
    }
    const NewJob job = new_job_of(session, options);
    refuse_bad(session, job);
    schema::Enqueued enqueued;
    // Defended catch: a name that is taken is an answer to the caller, not trouble with the
    // database.
    try {
        enqueued = enqueue(session, job);
    } catch (const persistence::KeyHeld& held) {
        throw CliError(ExitCode::refused, held.what());
    } catch (const persistence::DbError& error) {
        const std::string what = error.kind() == persistence::DbErrorKind::duplicate_key
                                     ? what_is_taken(session, job)
                                     : "";
        if (what.empty()) {
            throw;
        }
        throw CliError(ExitCode::refused, what + ": take another");
    }
    report_added(session, job, enqueued);
    print_key(session, job, enqueued);
    if (enqueued.is_added) {
        print_suspended(session, job, enqueued.id);
    }
    return ExitCode::done;
}

}  // namespace

ExitCode add_jobs(Session& session, const AddOptions& options) {
    if (!options.from) {
        if (options.keep_going) {
            throw CliError(ExitCode::wrong_usage, "--keep-going goes with --from FILE");
        }
        return add_one(session, options);
    }
    if (has_fields(options)) {
        throw CliError(
            ExitCode::wrong_usage, "--from FILE says everything about its jobs: leave the rest out"
        );
    }
    return import_jobs(session, {.file = *options.from, .keep_going = options.keep_going});
}

}  // namespace jobstrand::cli
