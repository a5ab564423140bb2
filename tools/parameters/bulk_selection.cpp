#include "tools/parameters/bulk_selection.hpp"

#include "tools/output/progress.hpp"
#include "tools/parameters/job_listing.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/typed_ids.hpp"
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
        throw CliError(ExitCode::wrong_usage, ways == 0 ? none : several);
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
        throw CliError(ExitCode::wrong_usage, "--background goes with filters or --all");
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
    session.tell(fmt::format("{} jobs would be changed; nothing was", preview.count));
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
        throw CliError(
            ExitCode::failed,
            fmt::format(
                "the service stops: {} were {}; ask again for the rest", counts.done, done_word
            )
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
        throw CliError(ExitCode::refused, question + " Say so with --yes.");
    }
    if (session.is_for_client()) {
        throw Unconfirmed(question);
    }
    streams.err << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(streams.in, answer);
    if (answer != "y" && answer != "yes") {
        throw CliError(ExitCode::refused, "nothing was changed");
    }
}

}  // namespace jobstrand::cli
