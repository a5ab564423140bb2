#include "tools/jobstrand/commands/series_selection.hpp"

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/series_listing.hpp"
#include "tools/jobstrand/exit_code.hpp"

#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::SeriesSummary;

void refuse_unclear(const SeriesBulkOptions& options) {
    const int ways =
        (options.is_by_key() ? 1 : 0) + (options.group ? 1 : 0) + (options.all ? 1 : 0);
    if (ways != 1) {
        throw CliError(
            ExitCode::wrong_usage,
            ways == 0 ? "say which series: keys, --group NAME, or --all"
                      : "keys, --group and --all exclude each other"
        );
    }
}

}  // namespace

std::vector<SeriesSummary>
select_series(Session& session, const SeriesBulkOptions& options, IsWanted is_wanted) {
    refuse_unclear(options);
    std::vector<SeriesSummary> selected;
    for (const std::string& key : options.keys) {
        if (auto summary = session.series_store().find_series(not_empty("a key", key))) {
            selected.push_back(std::move(*summary));
        }
    }
    if (!options.is_by_key()) {
        for_each_series(session, {.group = group_of(options.group)}, [&](const auto& summary) {
            if (is_wanted(summary.condition)) {
                selected.push_back(summary);
            }
        });
    }
    return selected;
}

}  // namespace jobstrand::cli
