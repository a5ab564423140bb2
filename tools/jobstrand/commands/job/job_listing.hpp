#pragma once

#include "persistence/job_filter.hpp"
#include "schema/job_place.hpp"
#include "tools/jobstrand/commands/job/job_filter_options.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

struct ListOptions {
    std::string place = "executable";  ///< A place, or `all`.
    JobFilterOptions filter;
    std::string limit = "100";
    std::string after;
};

/// `ls`: jobs in id order. When there are more, stderr says how to go on.
[[nodiscard]] ExitCode list_jobs(Session& session, const ListOptions& options);

/// Which jobs to list.
struct Listing {
    std::vector<schema::JobPlace> places;
    persistence::JobFilter filter;
    std::string after;
    std::size_t limit = 100;
};

/// Up to `limit` jobs of all the places together, in id order; `is_wanted` may pass over some.
[[nodiscard]] std::vector<schema::PlacedJob> fetch(
    persistence::JobDesk& store,
    const Listing& listing,
    bool (*is_wanted)(const schema::PlacedJob&) = nullptr
);

/// Writes jobs in the chosen format.
void write_jobs(Session& session, const std::vector<schema::PlacedJob>& jobs);

/// A place by its word; throws CliError wrong_usage.
[[nodiscard]] schema::JobPlace place_of(const std::string& word);

}  // namespace jobstrand::cli
