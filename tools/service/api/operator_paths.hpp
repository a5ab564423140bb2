#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"

#include <string>
#include <vector>

/// What the paths for operators do: each a skin over the classes that the command line uses too.
namespace jobstrand::service {

/// Jobs of a place, page by page, as `job ls -o json` prints them: `{"items":[...],"after":ID}`,
/// where `after` leads to the next page and is null on the last. `soon=true`: see
/// deadletter::JobSearch::list_soon; `lookedAt` says of how many rows such a page is, null: of all.
[[nodiscard]] Response list_jobs(const ApiParts& api, const Request& request);

/// What `stats -o json` prints. Counts all jobs that the scope does not leave out; what nobody
/// serves is told only where it leaves out nothing. `soon=true`: of a place that has many jobs some
/// are counted, or it is told what was counted last; see cli::record_of_bounds.
[[nodiscard]] Response show_stats(const ApiParts& api, const Request& request);

struct SoonCounts {
    std::string json;  ///< As show_stats() answers `soon=true`, without what nodes and workers do.
    std::vector<deadletter::PlaceCount> places;
};

/// The counts that are to be had soon, for whoever watches.
[[nodiscard]] SoonCounts soon_counts(const ApiParts& api, const Scope& scope);

/// Has the node look for jobs and timers now.
[[nodiscard]] Response wake_node(const ApiParts& api, const Request& request);

}  // namespace jobstrand::service
