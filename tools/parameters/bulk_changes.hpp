#pragma once

#include "deadletter/bulk_change.hpp"
#include "deadletter/job_search.hpp"
#include "deadletter/job_selection.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <cstddef>
#include <cstdint>
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

/// The words of a report.
struct ItemWords {
    std::string_view done;          ///< What happened: "removed".
    std::string_view field = "id";  ///< The name in JSON of what identifies an item.
    std::string_view detail = {};   ///< The name of the job that was made; empty: none was.

    /// Why an item was not done, in a sentence for stderr.
    std::function<std::string(const deadletter::ItemResult&)> why_not;
};

/// Reports what became of each of several items: a record per item on stdout, a line per trouble on
/// stderr, and one exit code for all.
class ItemReport final {
public:
    /// The session must outlive it.
    ItemReport(Session& session, ItemWords words);

    void add(const deadletter::ItemResult& item);

    /// Adds each item of a bulk operation. The report must outlive it.
    [[nodiscard]] deadletter::BulkWatch watch();

    /// done; partly_done when some worked and some did not; else what stood in the way of all.
    [[nodiscard]] ExitCode finish();

private:
    void write(const deadletter::ItemResult& item, std::string_view answer);

    Session& session_;
    const ItemWords words_;
    const std::vector<TableColumn> columns_;
    RecordWriter writer_;
    std::size_t done_ = 0;
    std::size_t not_found_ = 0;
    std::size_t refused_ = 0;
};

/// done; partly_done when some worked and some did not; refused when none did.
[[nodiscard]] ExitCode code_of(std::int64_t done, std::int64_t refused);

/// Runs an operation on jobs that were named, and reports what became of each.
[[nodiscard]] ExitCode report_jobs(
    Session& session,
    std::string_view done_word,
    const std::function<void(const deadletter::BulkWatch&)>& operation
);

/// Says first what the change of a turn means to the series that it carries on.
[[nodiscard]] deadletter::BulkWatch with_remark_on_series(
    Session& session,
    const deadletter::BulkWatch& watch,
    std::string (*remark)(const deadletter::ItemResult&)
);

/// Such a remark, of other due dates.
[[nodiscard]] std::string only_this_turn_moves(const deadletter::ItemResult& item);

/// `series nightly`.
[[nodiscard]] std::string named_series(const std::string& key);

/// Why nothing was done about a job: `there is no job 17`, or where it stands, or who has it.
[[nodiscard]] std::string why_not_job(const deadletter::ItemResult& item);

}  // namespace jobstrand::cli
