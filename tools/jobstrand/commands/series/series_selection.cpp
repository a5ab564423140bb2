#include "tools/jobstrand/commands/series/series_selection.hpp"

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"

#include <utility>

namespace jobstrand::cli {

using persistence::SeriesSummary;

std::vector<SeriesSummary>
select_series(Session& session, const SeriesBulkOptions& options, IsWanted is_wanted) {
    require_one_way(
        {options.is_by_key(), options.group.has_value(), options.all},
        "say which series: keys, --group NAME, or --all",
        "keys, --group and --all exclude each other"
    );
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
