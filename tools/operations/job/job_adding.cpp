#include "tools/operations/job/job_adding.hpp"

#include "executor/enqueue/bulk_enqueue.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/job_validation.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/operations/job/job_showing.hpp"
#include "tools/output/progress.hpp"
#include "tools/process/input.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using persistence::DbError;
using persistence::DbErrorKind;
using schema::Job;

std::optional<JobLine> JobLines::next() {
    while (const auto raw = lines_.next()) {
        if (raw->is_too_long) {
            const std::string problem =
                fmt::format("the line is longer than {} bytes", kBytesOfJobLine);
            return JobLine{.number = raw->number, .job = {}, .problems = {problem}};
        }
        if (raw->is_blank()) {
            continue;
        }
        JobFromJson read = job_from_json(raw->text);
        if (read.due && read.problems.empty()) {
            find_due_date(read);
        }
        if (read.problems.empty()) {
            read.problems = problems_of_new(read.content, context_);
        }
        return JobLine{
            .number = raw->number,
            .job = std::move(read.content),
            .problems = std::move(read.problems),
        };
    }
    return std::nullopt;
}

void JobLines::find_due_date(JobFromJson& read) const {
    const auto date = timers::due_date_of(*read.due, context_.calendars, context_.now);
    if (date) {
        read.content.job.due_date = date.value();
    } else {
        read.problems.push_back("dueDate: " + date.error().message);
    }
}

namespace {

/// Bad lines that are told one by one; the rest is counted.
constexpr std::size_t kProblemsShown = 100;

/// Suspended instances and the like that are told one by one.
constexpr std::size_t kSuspensionsShown = 10;

class Import final : private executor::NewJobSource {
public:
    Import(Session& session, const std::string& file)
        : session_(session),
          input_(Input::rereadable(session.input("--from", file))),
          context_(job_check_context(session)) {}

    [[nodiscard]] ExitCode all_or_none() {
        check();
        if (bad_ > 0) {
            throw WrongUsage(problems_ + hidden() + "no job was added");
        }
        return finish(with_progress([this](const executor::EnqueueWatch& watch) {
            return session_.enqueueing().import_all(*this, good_, watch);
        }));
    }

    [[nodiscard]] ExitCode keep_going() {
        check();
        const executor::EnqueueCounts counts =
            with_progress([this](const executor::EnqueueWatch& watch) {
                return session_.enqueueing().import_each(*this, watch);
            });
        if (bad_ > 0) {
            session_.tell(problems_ + hidden() + fmt::format("{} lines were left out", bad_));
        }
        return finish(counts);
    }

    /// After a key that could not be had: which line has it.
    [[noreturn]] void print_held_key(const persistence::KeyHeld& held) {
        rewind();
        while (const auto line = lines_->next()) {
            if (line->job.job.unique_key == held.key()) {
                throw Refused(at(line->number, held.what()) + "\nno job was added");
            }
        }
        throw held;
    }

    /// After a duplicate key: which line has the id, or the key of a series, that is taken.
    [[noreturn]] void print_taken_id(const DbError& error) {
        rewind();
        while (const auto line = lines_->next()) {
            if (const std::string what = what_is_taken(session_, line->job); !what.empty()) {
                throw Refused(at(line->number, what) + "\nno job was added");
            }
        }
        throw error;
    }

    [[noreturn]] void print_changed_file() const {
        throw Failed(input_.name() + " was changed while it was read: no job was added");
    }

private:
    void check() {
        rewind();
        executor::NewNames names;
        while (const auto line = lines_->next()) {
            if (!line->problems.empty()) {
                for (const std::string& problem : line->problems) {
                    add_problem(at(line->number, problem));
                }
                ++bad_;
            } else if (const auto taken = names.add(line->job)) {
                add_problem(at(line->number, in_words(*taken)));
                repeated_.insert(line->number);
                ++bad_;
            } else {
                ++good_;
            }
        }
    }

    void rewind() override {
        input_.rewind();
        lines_.emplace(input_, context_);
    }

    /// The good lines.
    std::optional<executor::NumberedJob> next() override {
        while (auto line = lines_->next()) {
            if (line->problems.empty() && !repeated_.contains(line->number)) {
                return executor::NumberedJob{.number = line->number, .job = std::move(line->job)};
            }
        }
        return std::nullopt;
    }

    /// The line that tells the progress has ended when this returns.
    template <typename Enqueue>
    [[nodiscard]] executor::EnqueueCounts with_progress(const Enqueue& enqueue) {
        Progress progress(session_.streams(), session_.clock(), "added");
        return enqueue(executor::EnqueueWatch{
            .on_page = [this, &progress](std::int64_t added) { progress.show(added, good_); },
            .on_taken =
                [this](std::int64_t number, const executor::TakenName& taken) {
                    add_problem(at(number, in_words(taken)));
                    ++bad_;
                },
            .on_suspended = [this](const std::vector<executor::SuspendedNewJobs>& jobs
                            ) { suspended_ = jobs; },
        });
    }

    [[nodiscard]] ExitCode finish(const executor::EnqueueCounts& counts) {
        write_record(
            session_.streams().out,
            session_.format(),
            {number_field("added", counts.added),
             number_field("badLines", bad_),
             number_field("suspended", print_suspended()),
             number_field("keptOut", counts.kept_out),
             number_field("replaced", counts.replaced)}
        );
        return bad_ > 0 ? ExitCode::partly_done : ExitCode::done;
    }

    /// Whoever adds jobs expects them to run. Returns how many will not.
    std::int64_t print_suspended() {
        std::int64_t all = 0;
        std::map<std::string, std::int64_t> by_reason;
        for (const auto& [like, jobs] : suspended_) {
            all += jobs;
            for (const persistence::Suspension& why : session_.search().why_suspended(like)) {
                by_reason[in_words(why)] += jobs;
            }
        }
        if (all > 0) {
            session_.tell("{} of them are stored suspended", all);
        }
        for (const auto& [reason, jobs] : by_reason | std::views::take(kSuspensionsShown)) {
            session_.tell("{}: {}", jobs, reason);
        }
        if (by_reason.size() > kSuspensionsShown) {
            session_.tell("... and more: `jobstrand instance ls --suspended`");
        }
        return all;
    }

    [[nodiscard]] std::string at(std::int64_t number, const std::string& problem) const {
        return fmt::format("{}:{}: {}", input_.name(), number, problem);
    }

    void add_problem(const std::string& problem) {
        if (++told_ <= kProblemsShown) {
            problems_ += problem + '\n';
        }
    }

    [[nodiscard]] std::string hidden() const {
        return told_ > kProblemsShown
                   ? fmt::format("... and {} more mistakes\n", told_ - kProblemsShown)
                   : "";
    }

    Session& session_;
    Input input_;  ///< Is read twice: first to check it.
    const JobCheckContext context_;
    std::optional<JobLines> lines_;
    std::string problems_;
    std::unordered_set<std::int64_t> repeated_;  ///< Lines whose id or key an earlier line has.
    std::vector<executor::SuspendedNewJobs> suspended_;
    std::size_t told_ = 0;
    std::int64_t good_ = 0;
    std::int64_t bad_ = 0;
};

[[nodiscard]] ExitCode import_jobs(Session& session, const std::string& file, bool keep_going) {
    Import import(session, file);
    if (keep_going) {
        return import.keep_going();
    }
    // Defended catch: an id that is taken is an answer to the caller, with the line that has it.
    try {
        return import.all_or_none();
    } catch (const executor::SourceChanged&) {
        import.print_changed_file();
    } catch (const persistence::KeyHeld& held) {
        import.print_held_key(held);
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::duplicate_key) {
            throw;
        }
        import.print_taken_id(error);
    }
}

[[nodiscard]] schema::KeyRule key_rule_of(const AddOptions& options) {
    schema::KeyRule rule;
    if (options.on_duplicate) {
        const auto named = schema::on_duplicate_named(*options.on_duplicate);
        if (!named) {
            throw WrongUsage("--on-duplicate must be reject, keep or replace");
        }
        rule.on_duplicate = *named;
    }
    if (options.unique_for) {
        rule.period = duration_of("--unique-for", *options.unique_for);
    }
    if (!is_given(options.fields, &Job::unique_key) &&
        (options.on_duplicate || options.unique_for)) {
        throw WrongUsage("--on-duplicate and --unique-for go with --unique-key");
    }
    return rule;
}

[[nodiscard]] executor::NewJob new_job_of(Session& session, const AddOptions& options) {
    executor::NewJob content;
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
        throw WrongUsage("say when it repeats: --repeat TEXT, or leave --series and the like out");
    }
    return content;
}

void refuse_bad(Session& session, const executor::NewJob& job) {
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
        throw WrongUsage("{}", fmt::join(problems, "\n"));
    }
}

[[nodiscard]] bool has_fields(const AddOptions& options) {
    return std::ranges::any_of(
               options.fields, [](const TypedField& typed) { return typed.text.has_value(); }
           ) ||
           options.due.is_any_given() || options.external || options.on_duplicate ||
           options.unique_for || options.series.times.repeat || options.series.is_any_given(false);
}

void report_added(Session& session, const executor::NewJob& job, const schema::Enqueued& enqueued) {
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
void print_key(Session& session, const executor::NewJob& job, const schema::Enqueued& enqueued) {
    const std::string key = quoted_if_needed(job.job.unique_key);
    if (!enqueued.is_added) {
        session.tell("nothing was added: job {} has the unique key {}", enqueued.id, key);
    } else if (!enqueued.replaced.empty()) {
        session.tell("it took the place of job {}", enqueued.replaced);
    }
}

/// Whoever adds a job expects it to run.
void print_suspended(Session& session, const executor::NewJob& job, const std::string& id) {
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
        throw WrongUsage("say which job: --type TYPE, or --from FILE");
    }
    const executor::NewJob job = new_job_of(session, options);
    refuse_bad(session, job);
    schema::Enqueued enqueued;
    // Defended catch: a name that is taken is an answer to the caller, not trouble with the
    // database.
    try {
        enqueued = enqueue(session, job);
    } catch (const persistence::KeyHeld& held) {
        throw Refused(held.what());
    } catch (const persistence::DbError& error) {
        const std::string what = error.kind() == persistence::DbErrorKind::duplicate_key
                                     ? what_is_taken(session, job)
                                     : "";
        if (what.empty()) {
            throw;
        }
        throw Refused(what + ": take another");
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
            throw WrongUsage("--keep-going goes with --from FILE");
        }
        return add_one(session, options);
    }
    if (has_fields(options)) {
        throw WrongUsage("--from FILE says everything about its jobs: leave the rest out");
    }
    return import_jobs(session, *options.from, options.keep_going);
}

}  // namespace jobstrand::cli
