#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"
#include "tools/operations/dead/dead_export.hpp"
#include "tools/output/progress.hpp"
#include "tools/process/input.hpp"
#include "tools/records/copy_json.hpp"

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::DeadLetterCopy;

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
    [[nodiscard]] bool is_written(std::span<const DeadLetterCopy> copies, std::int64_t number = 0) {
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
    refused(std::span<const DeadLetterCopy> copies, std::int64_t number, const std::string& why) {
        if (number > 0 || copies.size() == 1) {
            print_bad(number > 0 ? number : numbers_.front(), why);
            return true;
        }
        return false;
    }

    void print_bad(std::int64_t number, const std::string& problem) {
        if (static_cast<std::size_t>(++bad_) <= kBadLinesTold) {
            session_.tell(fmt::format("{}:{}: {}", input_.name(), number, problem));
        }
    }

    void stop_if_asked() {
        if (session_.must_stop()) {
            session_.count_changes(added_);
            throw CliError(
                ExitCode::failed,
                fmt::format("the service stops: {} were added; ask again for the rest", added_)
            );
        }
    }

    [[nodiscard]] ExitCode finish() {
        session_.count_changes(added_);
        if (static_cast<std::size_t>(bad_) > kBadLinesTold) {
            session_.tell(
                fmt::format("... and {} more lines", static_cast<std::size_t>(bad_) - kBadLinesTold)
            );
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
    std::vector<DeadLetterCopy> page_;
    std::vector<std::int64_t> numbers_;  ///< The lines of the page's copies.
    std::size_t page_bytes_ = 0;
    std::int64_t added_ = 0;
    std::int64_t skipped_ = 0;
    std::int64_t bad_ = 0;
};

}  // namespace

ExitCode import_dead(Session& session, const DeadImportOptions& options) {
    return DeadImport(session, Input::rereadable(session.input("FILE", options.file))).run();
}

}  // namespace jobstrand::cli
