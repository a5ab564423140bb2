#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

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
