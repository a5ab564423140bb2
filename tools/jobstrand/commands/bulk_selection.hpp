#pragma once

#include "persistence/job_filter.hpp"
#include "schema/job_place.hpp"
#include "tools/jobstrand/commands/job/job_filter_options.hpp"
#include "tools/jobstrand/session.hpp"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// What the verbs that change many things at once have in common.
struct BulkFlags {
    bool all = false;
    bool dry_run = false;
    bool yes = false;
};

/// Those that change jobs.
struct BulkOptions : BulkFlags {
    std::vector<std::string> ids;
    JobFilterOptions filter;
};

/// How many --dry-run shows at most.
inline constexpr std::size_t kDryRunSample = 10;

/// Which jobs a bulk verb means: ids, or all that match a filter, never both.
struct BulkSelection {
    std::vector<std::string> ids;
    persistence::JobFilter filter;  ///< Empty with --all.

    [[nodiscard]] bool is_by_id() const { return !ids.empty(); }
};

/// The ways to say which things are meant exclude each other. Throws CliError wrong_usage unless
/// exactly one was `given`: with the text `none`, or with `several`.
void require_one_way(std::initializer_list<bool> given, const char* none, const char* several);

/// Throws CliError wrong_usage unless exactly one of ids, filter and --all was given.
[[nodiscard]] BulkSelection selection_of(const BulkOptions& options);

/// --dry-run: says on stderr how many jobs it would be, and lists the first of them.
void show_dry_run(
    Session& session,
    const std::vector<schema::JobPlace>& places,
    const BulkSelection& selection
);

/// Asks on a terminal; elsewhere it must be confirmed, by --yes. Throws CliError refused for a no.
void confirm(Session& session, bool is_confirmed, const std::string& question);

}  // namespace jobstrand::cli
