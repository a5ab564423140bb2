#include "tools/operations/dead_listing.hpp"

#include "deadletter/failure_cause.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"
#include "tools/output/progress.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/input.hpp"
#include "tools/records/copy_json.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using deadletter::BulkCounts;
using deadletter::BulkWatch;
using deadletter::CauseGroup;
using deadletter::CauseSummary;
using persistence::DbError;
using persistence::DbErrorKind;
using persistence::JobCopy;
using schema::PlacedJob;

namespace {

/// All of them stand in one place, without retries and locks.
const std::vector<TableColumn>& dead_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64, .is_job_id = true},
        {.field = "handlerType", .heading = "TYPE", .rank = 1},
        {.field = "failedTime", .heading = "DIED", .rank = 3},
        {.field = "age", .heading = "AGE", .is_optional = true, .rank = 3},
        {.field = "attempts", .heading = "ATTEMPTS", .rank = 4},
        {.field = "series", .heading = "SERIES", .width_max = 64, .is_optional = true, .rank = 6},
        {.field = "processInstanceId", .heading = "INSTANCE", .rank = 7},
        {.field = "exceptionMessage",
         .heading = "LAST FAILURE",
         .width_max = 60,
         .rank = 2,
         .width_least = 16,
         .tone = Tone::bad},
    };
    return columns;
}

/// The age is for people: what is read by programs says when, and can be read again as it is. On a
/// terminal the time of death is told from now, which is the age.
[[nodiscard]] bool shows_age(const Session& session) {
    return session.format() == OutputFormat::table && !session.style().columns;
}

[[nodiscard]] Record record_of_dead(const PlacedJob& placed, bool has_age, schema::TimePoint now) {
    Record record = record_of(placed);
    if (has_age) {
        const auto& failed = placed.job.failed_time;
        record.push_back(text_or_null_field("age", failed ? age_text(now - *failed) : ""));
    }
    return record;
}

[[nodiscard]] schema::Page<PlacedJob> newest(Session& session, const DeadListOptions& options) {
    auto page = session.dead_letters().newest(
        filter_of(session, options.filter), options.after, limit_of(session, options.limit)
    );
    if (!page) {
        throw NotFound(
            "{} is no dead letter any more, so there is no going on behind it: begin anew, or "
            "with --failed-before",
            quoted_if_needed(options.after)
        );
    }
    return std::move(*page);
}

}  // namespace

ExitCode list_dead(Session& session, const DeadListOptions& options) {
    const deadletter::JobPage page = options.newest ? deadletter::JobPage{newest(session, options)}
                                                    : session.dead_letters().list(
                                                          filter_of(session, options.filter),
                                                          options.after,
                                                          limit_of(session, options.limit)
                                                      );
    const schema::TimePoint now = session.database_now();
    const bool has_age = shows_age(session);
    write_page(
        session,
        page,
        dead_columns(),
        [&](const PlacedJob& placed) { return record_of_dead(placed, has_age, now); },
        [](const PlacedJob& placed) { return placed.job.id; }
    );
    print_rest(session, page, &schema::Job::id);
    return ExitCode::done;
}

namespace {

[[nodiscard]] CauseSummary read_dead_causes(Session& session, const GroupsOptions& options) {
    if (options.soon) {
        return deadletter::latest_causes(
            session.store(), deadletter::kRowsSoon, filter_of(session, options.filter)
        );
    }
    Progress progress(session.streams(), session.clock(), "read");
    return session.dead_letters().causes(
        filter_of(session, options.filter),
        {.on_page =
             [&](const deadletter::BulkCounts& counts) {
                 progress.show(counts.done, counts.total);
                 if (session.must_stop()) {
                     throw Failed("the service stops: ask again");
                 }
                 return true;
             }}
    );
}

}  // namespace

const Fields<CauseGroup>& dead_group_fields() {
    const auto of_cause = [](auto member) {
        return [member](const CauseGroup& group) { return group.cause.*member; };
    };
    using deadletter::FailureCause;
    static const Fields<CauseGroup> all{
        {.name = "group",
         .value = &CauseGroup::id,
         .meaning = "What `dead requeue --group` takes",
         .column = {.heading = "GROUP"}},
        {.name = "jobs", .value = &CauseGroup::jobs, .column = {.heading = "JOBS"}},
        {.name = "handlerType",
         .value = of_cause(&FailureCause::handler_type),
         .column = {.heading = "TYPE", .rank = 1},
         .is_null_if_empty = true},
        {.name = "errorClass",
         .value = of_cause(&FailureCause::error_class),
         .column = {.heading = "ERROR", .width_max = 64, .rank = 2, .width_least = 12},
         .is_null_if_empty = true},
        {.name = "message",
         .value = of_cause(&FailureCause::message),
         .column =
             {.heading = "MESSAGE",
              .width_max = 80,
              .rank = 2,
              .width_least = 16,
              .tone = Tone::bad},
         .is_null_if_empty = true},
        {.name = "firstFailedTime",
         .value = &CauseGroup::first_failed,
         .column = {.heading = "FIRST", .rank = 4},
         .place = 2},
        {.name = "lastFailedTime",
         .value = &CauseGroup::last_failed,
         .column = {.heading = "LAST", .rank = 3},
         .place = 1},
        {.name = "exampleId",
         .value = &CauseGroup::example,
         .column = {.heading = "EXAMPLE", .width_max = 64, .is_job_id = true, .rank = 5},
         .place = 3},
        {.name = "lookedAt",
         .value = &CauseGroup::looked_at,
         .meaning = "Of how many of the latest dead letters these are; null: of all"},
    };
    return all;
}

ExitCode list_causes(Session& session, const GroupsOptions& options) {
    const std::size_t limit = limit_of(session, options.limit);
    const CauseSummary summary = read_dead_causes(session, options);
    write_items(
        session,
        std::vector<CauseGroup>(
            summary.groups.begin(),
            summary.groups.begin() +
                static_cast<std::ptrdiff_t>(std::min(limit, summary.groups.size()))
        ),
        columns_of(dead_group_fields()),
        [](const CauseGroup& group) { return record_of(dead_group_fields(), group); }
    );
    if (summary.looked_at) {
        session.note_looked_at(*summary.looked_at);
        session.tell(
            "these are of the latest {} dead letters; without --soon all are read",
            *summary.looked_at
        );
    }
    if (summary.groups.size() > limit) {
        session.tell(
            "there are {} more groups: say --limit, or a filter", summary.groups.size() - limit
        );
    }
    if (summary.others > 0) {
        session.tell(
            "{} dead letters are of further causes than the {} that are told apart: take a filter",
            summary.others,
            deadletter::kCausesKept
        );
    }
    return ExitCode::done;
}

ExitCode export_dead(Session& session, const DeadBulkOptions& options) {
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

namespace {

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

}  // namespace

ExitCode import_dead(Session& session, const DeadImportOptions& options) {
    return DeadImport(session, Input::rereadable(session.input("FILE", options.file))).run();
}

}  // namespace jobstrand::cli
