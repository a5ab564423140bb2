#pragma once

#include "persistence/series_store.hpp"
#include "tools/jobstrand/commands/bulk_selection.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// Which series a bulk verb means, as it was typed.
struct SeriesBulkOptions : BulkFlags {
    std::vector<std::string> keys;
    std::optional<std::string> group;

    [[nodiscard]] bool is_by_key() const { return !keys.empty(); }
};

/// Whether a verb has something to do about a series that was not named by its key.
using IsWanted = bool (*)(persistence::SeriesCondition condition);

/// The series that are meant and wanted, in the order of their keys. Throws CliError wrong_usage
/// unless exactly one of keys, --group and --all was given; keys that name no series are left out.
[[nodiscard]] std::vector<persistence::SeriesSummary>
select_series(Session& session, const SeriesBulkOptions& options, IsWanted is_wanted);

}  // namespace jobstrand::cli
