#include "tools/parameters/bulk_changes.hpp"

#include "tools/output/progress.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ranges>
#include <utility>

namespace jobstrand::cli {

namespace {

/// Handler types that a question names.
constexpr std::size_t kTypesNamed = 5;

}  // namespace

void require_one_way(std::initializer_list<bool> given, const char* none, const char* several) {
    const auto ways = std::ranges::count(given, true);
    if (ways != 1) {
        throw WrongUsage(ways == 0 ? none : several);
    }
}

deadletter::JobSelection selection_of(Session& session, const BulkOptions& options) {
    persistence::JobFilter filter = filter_of(session, options.filter);
    require_one_way(
        {!options.ids.empty(), !filter.is_empty(), options.all},
        "say which jobs: ids, filters such as --type, or --all",
        "ids, filters and --all exclude each other"
    );
    if (options.in_background && !options.ids.empty()) {
        throw WrongUsage("--background goes with filters or --all");
    }
    return options.ids.empty() ? deadletter::JobSelection::matching(std::move(filter))
                               : deadletter::JobSelection::these(job_ids(session, options.ids));
}

std::string by_type(const std::vector<persistence::TypeCount>& counts) {
    std::string text;
    for (const persistence::TypeCount& count : counts | std::views::take(kTypesNamed)) {
        text += fmt::format(
            "{}{} {}", text.empty() ? ": " : ", ", count.jobs, quoted_if_needed(count.handler_type)
        );
    }
    if (counts.size() > kTypesNamed) {
        text += fmt::format(" and {} more types", counts.size() - kTypesNamed);
    }
    return text;
}

ExitCode show_dry_run(Session& session, const deadletter::Preview& preview) {
    session.tell(counted(preview.count, "job", "jobs") + " would be changed; nothing was");
    write_jobs(session, {.items = preview.first, .has_more = false});
    return ExitCode::done;
}

deadletter::BulkCounts with_progress(
    Session& session,
    std::string_view done_word,
    const std::function<deadletter::BulkCounts(const deadletter::BulkWatch&)>& operation
) {
    Progress progress(session.streams(), session.clock(), done_word);
    bool was_stopped = false;
    const deadletter::BulkCounts counts = operation({
        .on_page =
            [&](const deadletter::BulkCounts& so_far) {
                progress.show(so_far.done, so_far.total);
                was_stopped = session.must_stop();
                return !was_stopped;
            },
    });
    session.count_changes(counts.done);
    if (was_stopped) {
        throw Failed(
            "the service stops: {} were {}; ask again for the rest", counts.done, done_word
        );
    }
    return counts;
}

void confirm(Session& session, bool is_confirmed, const std::string& question) {
    if (is_confirmed) {
        return;
    }
    Streams& streams = session.streams();
    if (!streams.in_is_terminal) {
        throw Refused(question + " Say so with --yes.");
    }
    if (session.is_for_client()) {
        throw Unconfirmed(question);
    }
    streams.err << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(streams.in, answer);
    if (answer != "y" && answer != "yes") {
        throw Refused("nothing was changed");
    }
}

namespace {

using deadletter::ItemAnswer;
using deadletter::ItemResult;

[[nodiscard]] std::string_view heading_of(std::string_view field) {
    return field == "series" ? "SERIES" : field == "calendar" ? "CALENDAR" : "ID";
}

[[nodiscard]] std::vector<TableColumn> columns_of(const ItemWords& words) {
    std::vector<TableColumn> columns{
        {.field = words.field, .heading = heading_of(words.field), .width_max = 64},
        {.field = "answer", .heading = "ANSWER"},
    };
    if (!words.detail.empty()) {
        columns.push_back({.field = words.detail, .heading = "JOB", .width_max = 64});
    }
    return columns;
}

/// What would do it instead, where a due date means nothing.
[[nodiscard]] std::string why_no_date(const std::string& id, schema::JobPlace place) {
    const char* const hint =
        place == schema::JobPlace::dead_letter
            ? "say when as you requeue it: `jobstrand dead requeue ID --due TIME`"
            : "activate what it belongs to first: `jobstrand job show ID` says what that is";
    return fmt::format("job {} stands in place {}: {}", quoted_if_needed(id), name_of(place), hint);
}

}  // namespace

ItemReport::ItemReport(Session& session, ItemWords words)
    : session_(session),
      words_(std::move(words)),
      columns_(columns_of(words_)),
      writer_(session.streams().out, session.format(), columns_, session.style()) {}

void ItemReport::add(const ItemResult& item) {
    switch (item.answer) {
        case ItemAnswer::done:
            ++done_;
            session_.count_changes(1);
            write(item, words_.done);
            break;
        case ItemAnswer::unchanged:
            ++done_;
            session_.tell("jobstrand: {}: skipped", words_.why_not(item));
            write(item, "skipped");
            break;
        case ItemAnswer::not_found:
            ++not_found_;
            session_.tell("jobstrand: " + words_.why_not(item));
            write(item, "not found");
            break;
        case ItemAnswer::locked:
        case ItemAnswer::refused:
            ++refused_;
            session_.tell("jobstrand: " + words_.why_not(item));
            write(item, "refused");
            break;
    }
}

deadletter::BulkWatch ItemReport::watch() {
    return {.on_item = [this](const ItemResult& item) { add(item); }};
}

void ItemReport::write(const ItemResult& item, std::string_view answer) {
    // Format `name` is for the next command in a pipe: only what was done goes on.
    if (session_.format() == OutputFormat::name && answer != words_.done) {
        return;
    }
    Record record{text_field(words_.field, item.id), text_field("answer", answer)};
    if (!words_.detail.empty()) {
        record.push_back(text_or_null_field(words_.detail, item.new_job));
    }
    if (session_.shows_reasons()) {
        const bool is_done = item.answer == ItemAnswer::done;
        record.push_back(text_or_null_field("why", is_done ? "" : words_.why_not(item)));
    }
    writer_.add(record);
}

ExitCode ItemReport::finish() {
    writer_.finish();
    if (not_found_ + refused_ == 0) {
        return ExitCode::done;
    }
    if (done_ > 0) {
        return ExitCode::partly_done;
    }
    return refused_ > 0 ? ExitCode::refused : ExitCode::not_found;
}

ExitCode code_of(std::int64_t done, std::int64_t refused) {
    return refused == 0 ? ExitCode::done : done > 0 ? ExitCode::partly_done : ExitCode::refused;
}

ExitCode report_jobs(
    Session& session,
    std::string_view done_word,
    const std::function<void(const deadletter::BulkWatch&)>& operation
) {
    ItemReport report(session, {.done = done_word, .why_not = why_not_job});
    operation(report.watch());
    return report.finish();
}

deadletter::BulkWatch with_remark_on_series(
    Session& session,
    const deadletter::BulkWatch& watch,
    std::string (*remark)(const ItemResult&)
) {
    return {.on_item = [&session, watch, remark](const ItemResult& item) {
        if (item.answer == ItemAnswer::done && !item.series.empty()) {
            session.tell(remark(item));
        }
        watch.on_item(item);
    }};
}

std::string only_this_turn_moves(const ItemResult& item) {
    return fmt::format(
        "only this turn of {} moves; for all: `jobstrand series reschedule`",
        named_series(item.series)
    );
}

std::string named_series(const std::string& key) {
    return "series " + quoted_if_needed(key);
}

std::string why_not_job(const ItemResult& item) {
    const std::string shown = quoted_if_needed(item.id);
    if (item.refusal == deadletter::Refusal::carries_series_on) {
        const std::string key = quoted_if_needed(item.series);
        return fmt::format(
            "job {} carries series {} on: `jobstrand series end {}` removes it", shown, key, key
        );
    }
    if (item.refusal == deadletter::Refusal::unique_key_is_held) {
        return fmt::format(
            "job {} has the unique key {}, as job {} has now",
            shown,
            quoted_if_needed(item.unique_key),
            quoted_if_needed(item.holder)
        );
    }
    if (item.refusal == deadletter::Refusal::waits_for_no_date) {
        return why_no_date(item.id, item.place.value());
    }
    if (item.refusal == deadletter::Refusal::has_no_retries) {
        return fmt::format(
            "job {} is a dead letter, which has no retries: use `jobstrand dead requeue ID "
            "--retries N`",
            shown
        );
    }
    if (item.refusal == deadletter::Refusal::is_of_engine) {
        return fmt::format(
            "job {} is one of Flowable's, whose engine suspends and activates whole instances and "
            "definitions: call its RuntimeService or RepositoryService",
            shown
        );
    }
    if (item.answer == ItemAnswer::locked) {
        return fmt::format("a node holds job {}: try again later", item.id);
    }
    return item.place ? fmt::format("job {} stands in place {}", shown, name_of(*item.place))
                      : fmt::format("there is no job {}", shown);
}

}  // namespace jobstrand::cli
