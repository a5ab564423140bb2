#pragma once

#include "deadletter/admin/job_search.hpp"
#include "schema/job.hpp"
#include "schema/job_fields.hpp"
#include "schema/paging.hpp"
#include "tools/parameters/job_filter_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct ListOptions {
    JobFilterOptions filter;
    std::string limit = "100";
    std::string after;
};

struct JobListOptions : ListOptions {
    std::string place = "executable";  ///< A place, or `all`.
    std::optional<std::string> sort;   ///< A word of sort_named().
    bool descending = false;
    std::optional<std::string> skip;  ///< Instead of `after`.
};

/// `ls`: jobs in id order, or those of one place in another one. When there are more, stderr says
/// how to go on.
[[nodiscard]] ExitCode list_jobs(Session& session, const JobListOptions& options);

/// Writes jobs in the chosen format, and how to go on when there are more.
void write_jobs(Session& session, const schema::Page<schema::PlacedJob>& jobs);

/// Says of a page that has ended before its time, in the order of a field, how the list goes on.
void print_rest(Session& session, const deadletter::JobPage& page, const schema::JobMember& by);

/// A place by its word; throws CliError wrong_usage.
[[nodiscard]] schema::JobPlace place_of(const std::string& word);

}  // namespace jobstrand::cli
