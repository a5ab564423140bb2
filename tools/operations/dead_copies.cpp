#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"
#include "tools/operations/dead_requeue.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/progress.hpp"
#include "tools/process/input.hpp"
#include "tools/records/copy_json.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using deadletter::BulkCounts;
using deadletter::BulkWatch;
using persistence::DbError;
using persistence::DbErrorKind;
using persistence::JobCopy;

namespace {

struct DeadImportOptions {
    std::string file;  ///< `-`: stdin.
};

[[nodiscard]] Parameters<DeadBulkOptions> exporting() {
    return joined(
        Parameters<DeadBulkOptions>{
            {"ids",
             &DeadBulkOptions::ids,
             "The jobs; - reads them from stdin",
             {.unit = "ID", .is_raw = true}},
            {"--all", &DeadBulkOptions::all, "All of them"}},
        dead_group_parameter(),
        of_base<DeadBulkOptions>(of_part(job_filter_parameters(), &BulkOptions::filter))
    );
}

[[nodiscard]] ExitCode export_dead(Session& session, const DeadBulkOptions& options) {
    if (session.format() != OutputFormat::table && session.format() != OutputFormat::jsonl) {
        throw WrongUsage("dead export writes JSON lines: leave -o out");
    }
    const auto selection = dead_selection_of(session, options);
    const auto write = [&](const persistence::JobCopy& copy) {
        session.streams().out << json_of(record_of_copy(copy)) << '\n';
    };
    const BulkCounts counts = with_progress(session, "exported", [&](BulkWatch watch) {
        watch.on_item = [&](const deadletter::ItemResult& item) {
            if (item.answer != deadletter::ItemAnswer::done && ids_in(selection) != nullptr) {
                session.tell("there is no dead letter " + quoted_if_needed(item.id));
            }
        };
        return session.dead_letters().copy(selection, write, watch);
    });
    if (ids_in(selection) == nullptr || counts.not_found == 0) {
        return ExitCode::done;
    }
    return counts.done > 0 ? ExitCode::partly_done : ExitCode::not_found;
}

/// A payload and the details with every character escaped, and room for all other fields.
constexpr std::size_t kBytesOfCopyLine =
    6 * schema::limits::kPayloadBytes + std::size_t{1024} * 1024;

/// Copies of one transaction, and how long their lines may be together.
constexpr std::size_t kCopiesOfPage = 500;
constexpr std::size_t kBytesOfPage = std::size_t{4} * 1024 * 1024;

/// Bad lines that are told one by one; the rest is counted.
constexpr std::size_t kBadLinesTold = 100;

class DeadImport final {
public:
    DeadImport(Session& session, Input input) : session_(session), input_(std::move(input)) {}

    [[nodiscard]] ExitCode run() {
        count_lines();
        {
            Progress progress(session_.streams(), session_.clock(), "read");
            BoundedLines lines(input_, kBytesOfCopyLine);
            while (const auto line = lines.next()) {
                take(*line);
                if (page_.size() == kCopiesOfPage || page_bytes_ > kBytesOfPage) {
                    write_page();
                    progress.show(line->number, lines_);
                    stop_if_asked();
                }
            }
            write_page();
        }
        return finish();
    }

private:
    void count_lines() {
        BoundedLines lines(input_, 0);
        while (lines.next()) {
            ++lines_;
        }
        input_.rewind();
    }

    void take(const BoundedLine& line) {
        if (line.is_too_long) {
            print_bad(
                line.number, fmt::format("the line is longer than {} bytes", kBytesOfCopyLine)
            );
            return;
        }
        if (line.is_blank()) {
            return;
        }
        CopyFromJson read = copy_from_json(line.text);
        if (!read.problems.empty()) {
            print_bad(line.number, read.problems.front());
            return;
        }
        page_.push_back(std::move(read.copy));
        numbers_.push_back(line.number);
        page_bytes_ += line.text.size();
    }

    void write_page() {
        if (!page_.empty() && !is_written(page_)) {
            for (std::size_t i = 0; i < page_.size(); ++i) {
                (void)is_written(std::span(&page_[i], 1), numbers_[i]);
            }
        }
        page_.clear();
        numbers_.clear();
        page_bytes_ = 0;
    }

    /// False when one of several cannot be stored. A single one is told by its line's `number`.
    [[nodiscard]] bool is_written(std::span<const JobCopy> copies, std::int64_t number = 0) {
        // Defended catch: what no column holds is an odd line, and must not keep the others from
        // coming back.
        try {
            for (const bool is_added : session_.dead_letters().restore(copies)) {
                ++(is_added ? added_ : skipped_);
            }
            return true;
        } catch (const std::invalid_argument& error) {
            return refused(copies, number, error.what());
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::too_long &&
                error.kind() != DbErrorKind::duplicate_key) {
                throw;
            }
            return refused(copies, number, error.what());
        }
    }

    [[nodiscard]] bool
    refused(std::span<const JobCopy> copies, std::int64_t number, const std::string& why) {
        if (number > 0 || copies.size() == 1) {
            print_bad(number > 0 ? number : numbers_.front(), why);
            return true;
        }
        return false;
    }

    void print_bad(std::int64_t number, const std::string& problem) {
        if (static_cast<std::size_t>(++bad_) <= kBadLinesTold) {
            session_.tell("{}:{}: {}", input_.name(), number, problem);
        }
    }

    void stop_if_asked() {
        if (session_.must_stop()) {
            session_.count_changes(added_);
            throw Failed("the service stops: {} were added; ask again for the rest", added_);
        }
    }

    [[nodiscard]] ExitCode finish() {
        session_.count_changes(added_);
        if (static_cast<std::size_t>(bad_) > kBadLinesTold) {
            session_.tell("... and {} more lines", static_cast<std::size_t>(bad_) - kBadLinesTold);
        }
        write_record(
            session_.streams().out,
            session_.format(),
            {number_field("added", added_),
             number_field("skipped", skipped_),
             number_field("badLines", bad_)}
        );
        return bad_ > 0 ? ExitCode::partly_done : ExitCode::done;
    }

    Session& session_;
    Input input_;  ///< Is read twice: first to count its lines.
    std::int64_t lines_ = 0;
    std::vector<JobCopy> page_;
    std::vector<std::int64_t> numbers_;  ///< The lines of the page's copies.
    std::size_t page_bytes_ = 0;
    std::int64_t added_ = 0;
    std::int64_t skipped_ = 0;
    std::int64_t bad_ = 0;
};

/// Page by page. One whose id a job has already is skipped, so that a call can be repeated; a line
/// that is none is told by its number and left out, and the answer is partly_done.
[[nodiscard]] ExitCode import_dead(Session& session, const DeadImportOptions& options) {
    return DeadImport(session, Input::rereadable(session.input("FILE", options.file))).run();
}

}  // namespace

std::vector<Operation> dead_copy_operations() {
    return {
        writing_operation(
            {.words = "dead export",
             .summary = "Write dead letters with all that brings them back, one JSON "
                        "object a line",
             .examples = "  jobstrand dead export --all > dead.jsonl\n"
                         "  jobstrand dead export --failed-before 2026-01-01 > old.jsonl",
             .role = service::Role::read,
             .honours_scope = true},
            exporting(),
            {.kind = DescribedResult::Kind::list, .fields = described_job()},
            export_dead
        ),
        writing_operation<DeadImportOptions>(
            {.words = "dead import",
             .summary = "Bring exported dead letters back; those that are there are skipped",
             .examples = "  jobstrand dead import dead.jsonl\n"
                         "  zcat old.jsonl.gz | jobstrand dead import -",
             .honours_scope = true},
            {{"file",
              &DeadImportOptions::file,
              "What `dead export` has written; - for stdin",
              {.unit = "FILE.jsonl", .is_required = true, .may_be_empty = true}}},
            {.kind = DescribedResult::Kind::record, .fields = {}},
            import_dead
        ),
    };
}

}  // namespace jobstrand::cli
