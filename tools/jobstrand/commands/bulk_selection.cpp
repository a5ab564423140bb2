#include "tools/jobstrand/commands/bulk_selection.hpp"

#include "tools/jobstrand/commands/job/job_listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/exit_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>

namespace jobstrand::cli {

void require_one_way(std::initializer_list<bool> given, const char* none, const char* several) {
    const auto ways = std::ranges::count(given, true);
    if (ways != 1) {
        throw CliError(ExitCode::wrong_usage, ways == 0 ? none : several);
    }
}

BulkSelection selection_of(const BulkOptions& options) {
    BulkSelection selection{.ids = options.ids, .filter = filter_of(options.filter)};
    for (const std::string& id : selection.ids) {
        (void)not_empty("an id", id);
    }
    require_one_way(
        {selection.is_by_id(), !selection.filter.is_empty(), options.all},
        "say which jobs: ids, filters such as --type, or --all",
        "ids, filters and --all exclude each other"
    );
    return selection;
}

void show_dry_run(
    Session& session,
    const std::vector<schema::JobPlace>& places,
    const BulkSelection& selection
) {
    persistence::JobFilter filter = selection.filter;
    filter.ids = selection.ids;
    std::int64_t count = 0;
    for (const schema::JobPlace place : places) {
        count += session.store().count(place, filter);
    }
    session.tell(fmt::format("{} jobs would be changed; nothing was", count));
    write_jobs(
        session,
        fetch(
            session.store(),
            {.places = places, .filter = filter, .after = {}, .limit = kDryRunSample}
        )
    );
}

void confirm(Session& session, bool is_confirmed, const std::string& question) {
    if (is_confirmed) {
        return;
    }
    Streams& streams = session.streams();
    if (!streams.in_is_terminal) {
        throw CliError(ExitCode::refused, question + " Say so with --yes.");
    }
    streams.err << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(streams.in, answer);
    if (answer != "y" && answer != "yes") {
        throw CliError(ExitCode::refused, "nothing was changed");
    }
}

}  // namespace jobstrand::cli
