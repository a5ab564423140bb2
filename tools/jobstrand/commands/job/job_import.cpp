#include "tools/jobstrand/commands/job/job_import.hpp"

#include "persistence/sql/db_error.hpp"
#include "tools/jobstrand/commands/job/job_checks.hpp"
#include "tools/jobstrand/commands/job/job_enqueueing.hpp"
#include "tools/jobstrand/commands/job/job_lines.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/output/progress.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;

/// Jobs that are written in one go.
constexpr std::size_t kPage = 1000;

/// Bad lines that are told one by one; the rest is counted.
constexpr std::size_t kProblemsShown = 100;

[[nodiscard]] std::unique_ptr<std::istream> kept(std::istream& stream) {
    auto copy = std::make_unique<std::stringstream>();
    *copy << stream.rdbuf();
    return copy;
}

/// The jobs are read twice. A file can be read again from its start; stdin and pipes cannot, so
/// what comes from them is kept.
[[nodiscard]] std::unique_ptr<std::istream> open(Session& session, const std::string& file) {
    if (file == "-") {
        return kept(session.streams().in);
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        throw CliError(ExitCode::wrong_usage, file + " is a directory: name a file of jobs");
    }
    auto stream = std::make_unique<std::ifstream>(file, std::ios::binary);
    if (!*stream) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format("cannot read {}: {}", file, std::generic_category().message(errno))
        );
    }
    if (!std::filesystem::is_regular_file(file, ignored)) {
        return kept(*stream);
    }
    return stream;
}

/// The ids and the keys of series that a file uses up.
class Names {
public:
    /// Empty: the job's are new. Else what an earlier line has, in the words of what_is_taken.
    [[nodiscard]] std::string add(const NewJob& job) {
        const std::string& id = job.job.id;
        const std::string& key = schema::series_key_of(job.job);
        if (!id.empty() && !ids_.insert(id).second) {
            return fmt::format("there is a job {} already", id);
        }
        if (job.repeats() && !key.empty() && !keys_.insert(key).second) {
            return fmt::format("there is a series {} already", key);
        }
        return {};
    }

private:
    std::unordered_set<std::string> ids_;
    std::unordered_set<std::string> keys_;
};

class Import {
public:
    Import(Session& session, const ImportOptions& options)
        : session_(session),
          name_(options.file == "-" ? "stdin" : printable(options.file)),
          stream_(open(session, options.file)),
          context_(job_check_context(session)) {}

    [[nodiscard]] ExitCode all_or_none() {
        check();
        if (bad_ > 0) {
            throw CliError(ExitCode::wrong_usage, problems_ + hidden() + "no job was added");
        }
        Progress progress(session_.streams(), session_.clock(), "added");
        // The whole work is run again when the database asks for it.
        session_.engine().in_transaction([&](persistence::Transaction& transaction) {
            added_ = 0;
            for_each_page([&](std::vector<JobLine> page) {
                write(transaction, std::move(page));
                progress.show(added_, good_);
            });
            refuse_changed_file();
        });
        return finish();
    }

    [[nodiscard]] ExitCode keep_going() {
        check();
        Progress progress(session_.streams(), session_.clock(), "added");
        for_each_page([&](std::vector<JobLine> page) {
            write_what_can_be(std::move(page));
            progress.show(added_, good_);
        });
        if (bad_ > 0) {
            session_.tell(problems_ + hidden() + fmt::format("{} lines were left out", bad_));
        }
        return finish();
    }

    /// After a duplicate key: which line has the id, or the key of a series, that is taken.
    [[noreturn]] void tell_taken_id(const DbError& error) {
        rewind();
        JobLines lines(*stream_, context_);
        while (const auto line = lines.next()) {
            if (const std::string what = what_is_taken(session_, line->job); !what.empty()) {
                throw CliError(ExitCode::refused, at(*line, what) + "\nno job was added");
            }
        }
        throw error;
    }

private:
    void check() {
        rewind();
        JobLines lines(*stream_, context_);
        Names names;
        while (const auto line = lines.next()) {
            if (!line->problems.empty()) {
                for (const std::string& problem : line->problems) {
                    add_problem(at(*line, problem));
                }
                ++bad_;
            } else if (const std::string what = names.add(line->job); !what.empty()) {
                add_problem(at(*line, what));
                repeated_.insert(line->number);
                ++bad_;
            } else {
                ++good_;
            }
        }
    }

    /// Hands over the good lines, in pages.
    void for_each_page(const std::function<void(std::vector<JobLine>)>& use) {
        rewind();
        JobLines lines(*stream_, context_);
        std::vector<JobLine> page;
        while (auto line = lines.next()) {
            if (!line->problems.empty() || repeated_.contains(line->number)) {
                continue;
            }
            page.push_back(std::move(*line));
            if (page.size() == kPage) {
                use(std::exchange(page, {}));
            }
        }
        if (!page.empty()) {
            use(std::move(page));
        }
    }

    void refuse_changed_file() const {
        if (added_ != good_) {
            throw CliError(
                ExitCode::failed, name_ + " was changed while it was read: no job was added"
            );
        }
    }

    void write(persistence::Transaction& transaction, std::vector<JobLine> page) {
        added_ += static_cast<std::int64_t>(page.size());
        enqueue_all(session_, transaction, jobs_of(std::move(page)));
    }

    void write_what_can_be(std::vector<JobLine> page) {
        // Defended catches: an id that is taken spoils its line only; one by one tells which it is.
        try {
            enqueue_all(session_, jobs_of(page));
            added_ += static_cast<std::int64_t>(page.size());
            return;
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::duplicate_key) {
                throw;
            }
        }
        for (const JobLine& line : page) {
            try {
                (void)enqueue(session_, line.job);
                ++added_;
            } catch (const DbError& error) {
                const std::string what = error.kind() == DbErrorKind::duplicate_key
                                             ? what_is_taken(session_, line.job)
                                             : "";
                if (what.empty()) {
                    throw;
                }
                add_problem(at(line, what));
                ++bad_;
            }
        }
    }

    [[nodiscard]] ExitCode finish() {
        write_record(
            session_.streams().out,
            session_.format(),
            {number_field("added", added_), number_field("badLines", bad_)}
        );
        return bad_ > 0 ? ExitCode::partly_done : ExitCode::done;
    }

    [[nodiscard]] static std::vector<NewJob> jobs_of(std::vector<JobLine> page) {
        std::vector<NewJob> jobs;
        jobs.reserve(page.size());
        for (JobLine& line : page) {
            jobs.push_back(std::move(line.job));
        }
        return jobs;
    }

    [[nodiscard]] std::string at(const JobLine& line, const std::string& problem) const {
        return fmt::format("{}:{}: {}", name_, line.number, problem);
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

    void rewind() {
        stream_->clear();
        stream_->seekg(0);
    }

    Session& session_;
    const std::string name_;
    const std::unique_ptr<std::istream> stream_;
    const JobCheckContext context_;
    std::string problems_;
    std::unordered_set<std::int64_t> repeated_;  ///< Lines whose id or key an earlier line has.
    std::size_t told_ = 0;
    std::int64_t good_ = 0;
    std::int64_t bad_ = 0;
    std::int64_t added_ = 0;
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
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::duplicate_key) {
            throw;
        }
        import.tell_taken_id(error);
    }
}

}  // namespace jobstrand::cli
