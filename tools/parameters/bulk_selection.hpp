#pragma once

#include "deadletter/admin/job_search.hpp"
#include "deadletter/bulk/bulk_result.hpp"
#include "deadletter/bulk/job_selection.hpp"
#include "tools/parameters/job_filter_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
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
    bool in_background = false;  ///< A node does it, as a batch.
    JobFilterOptions filter;
};

/// How many --dry-run shows at most.
inline constexpr std::size_t kDryRunSample = 10;

/// The ways to say which things are meant exclude each other. Throws CliError wrong_usage unless
/// exactly one was `given`: with the text `none`, or with `several`.
void require_one_way(std::initializer_list<bool> given, const char* none, const char* several);

/// `-` among the ids is stdin. Throws CliError wrong_usage unless exactly one of ids, filter and
/// --all was given.
[[nodiscard]] deadletter::JobSelection selection_of(Session& session, const BulkOptions& options);

/// `: 12 mail, 3 report and 2 more types`, for a question about many jobs; empty for none.
[[nodiscard]] std::string by_type(const std::vector<persistence::TypeCount>& counts);

/// --dry-run: says on stderr how many jobs it would be, and lists the first of them.
[[nodiscard]] ExitCode show_dry_run(Session& session, const deadletter::Preview& preview);

/// Runs a bulk operation and shows how far it has come. `done_word` is what happens to the jobs, as
/// for Progress. The line on the terminal has ended when this returns. Throws CliError failed when
/// the session must stop.
[[nodiscard]] deadletter::BulkCounts with_progress(
    Session& session,
    std::string_view done_word,
    const std::function<deadletter::BulkCounts(const deadletter::BulkWatch&)>& operation
);

/// Asks on a terminal; elsewhere it must be confirmed, by --yes. Throws CliError refused for a no,
/// and Unconfirmed where the terminal is a client's.
void confirm(Session& session, bool is_confirmed, const std::string& question);

}  // namespace jobstrand::cli
