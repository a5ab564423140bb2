#include "tools/operations/job/job_import.hpp"

#include "executor/enqueue/bulk_enqueue.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "tools/operations/job/job_checks.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/operations/job/job_lines.hpp"
#include "tools/operations/job/job_state.hpp"
#include "tools/output/progress.hpp"
#include "tools/process/input.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;

/// Bad lines that are told one by one; the rest is counted.
constexpr std::size_t kProblemsShown = 100;

/// Suspended instances and the like that are told one by one.
constexpr std::size_t kSuspensionsShown = 10;

class Import final : private executor::NewJobSource {
public:
    Import(Session& session, const ImportOptions& options)
        : session_(session),
          input_(Input::rereadable(session.input("--from", options.file))),
          context_(job_check_context(session)) {}

    [[nodiscard]] ExitCode all_or_none() {
        check();
        if (bad_ > 0) {
            throw CliError(ExitCode::wrong_usage, problems_ + hidden() + "no job was added");
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
                throw CliError(
                    ExitCode::refused, at(line->number, held.what()) + "\nno job was added"
                );
            }
        }
        throw held;
    }

    /// After a duplicate key: which line has the id, or the key of a series, that is taken.
    [[noreturn]] void print_taken_id(const DbError& error) {
        rewind();
        while (const auto line = lines_->next()) {
            if (const std::string what = what_is_taken(session_, line->job); !what.empty()) {
                throw CliError(ExitCode::refused, at(line->number, what) + "\nno job was added");
            }
        }
        throw error;
    }

    [[noreturn]] void print_changed_file() const {
        throw CliError(
            ExitCode::failed, input_.name() + " was changed while it was read: no job was added"
        );
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
        return enqueue(watch(progress));
    }

    [[nodiscard]] executor::EnqueueWatch watch(Progress& progress) {
        return {
            .on_page = [this, &progress](std::int64_t added) { progress.show(added, good_); },
            .on_taken =
                [this](std::int64_t number, const executor::TakenName& taken) {
                    add_problem(at(number, in_words(taken)));
                    ++bad_;
                },
            .on_suspended = [this](const std::vector<executor::SuspendedNewJobs>& jobs
                            ) { suspended_ = jobs; },
        };
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
            session_.tell(fmt::format("{} of them are stored suspended", all));
        }
        for (const auto& [reason, jobs] : by_reason | std::views::take(kSuspensionsShown)) {
            session_.tell(fmt::format("{}: {}", jobs, reason));
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

}  // namespace

ExitCode import_jobs(Session& session, const ImportOptions& options) {
    Import import(session, options);
    if (options.keep_going) {
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

}  // namespace jobstrand::cli
