#include "tools/jobstrand/commands/job_import.hpp"

#include "persistence/db_error.hpp"
#include "tools/jobstrand/commands/job_lines.hpp"
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

class Import {
public:
    Import(Session& session, const ImportOptions& options)
        : session_(session),
          name_(options.file == "-" ? "stdin" : printable(options.file)),
          stream_(open(session, options.file)) {}

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

    /// After a duplicate key: which line has the id that is taken.
    [[noreturn]] void tell_taken_id(const DbError& error) {
        rewind();
        JobLines lines(*stream_, session_.settings());
        while (const auto line = lines.next()) {
            if (!line->job.id.empty() && session_.store().find(line->job.id)) {
                throw CliError(ExitCode::refused, taken(*line) + "\nno job was added");
            }
        }
        throw error;
    }

private:
    void check() {
        rewind();
        JobLines lines(*stream_, session_.settings());
        std::unordered_set<std::string> ids;
        while (const auto line = lines.next()) {
            if (!line->problems.empty()) {
                for (const std::string& problem : line->problems) {
                    add_problem(fmt::format("{}:{}: {}", name_, line->number, problem));
                }
                ++bad_;
            } else if (!line->job.id.empty() && !ids.insert(line->job.id).second) {
                add_problem(taken(*line));
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
        JobLines lines(*stream_, session_.settings());
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
        (void)session_.engine().enqueue_all(transaction, jobs_of(std::move(page)));
    }

    void write_what_can_be(std::vector<JobLine> page) {
        // Defended catches: an id that is taken spoils its line only; one by one tells which it is.
        try {
            (void)session_.engine().enqueue_all(jobs_of(page));
            added_ += static_cast<std::int64_t>(page.size());
            return;
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::duplicate_key) {
                throw;
            }
        }
        for (JobLine& line : page) {
            try {
                (void)session_.engine().enqueue(line.job);
                ++added_;
            } catch (const DbError& error) {
                if (error.kind() != DbErrorKind::duplicate_key) {
                    throw;
                }
                add_problem(taken(line));
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

    [[nodiscard]] static std::vector<schema::Job> jobs_of(std::vector<JobLine> page) {
        std::vector<schema::Job> jobs;
        jobs.reserve(page.size());
        for (JobLine& line : page) {
            jobs.push_back(std::move(line.job));
        }
        return jobs;
    }

    [[nodiscard]] std::string taken(const JobLine& line) const {
        return fmt::format("{}:{}: there is a job {} already", name_, line.number, line.job.id);
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
    std::string problems_;
    std::unordered_set<std::int64_t> repeated_;  ///< Lines whose id an earlier line has.
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
