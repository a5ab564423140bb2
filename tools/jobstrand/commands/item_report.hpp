#pragma once

#include "persistence/job_answer.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// The words of a report.
struct ItemWords {
    std::string_view done;          ///< What happened: "removed".
    std::string_view field = "id";  ///< The name in JSON of what identifies an item.
    std::string_view detail = {};   ///< The name of what done() tells besides; empty: nothing.
};

/// Reports what became of each of several ids: a record per id on stdout, a line per trouble on
/// stderr, and one exit code for all.
class ItemReport final {
public:
    /// The session and the words must outlive it.
    ItemReport(Session& session, const ItemWords& words);

    void done(const std::string& id, const std::string& detail = {});

    /// Nothing had to be done; no trouble.
    void skipped(const std::string& id, const std::string& why);
    void not_found(const std::string& id, const std::string& why);
    void refused(const std::string& id, const std::string& why);

    /// done; partly_done when some worked and some did not; else what stood in the way of all.
    [[nodiscard]] ExitCode finish();

private:
    void add(const std::string& id, std::string_view answer, const std::string& detail = {});

    Session& session_;
    const ItemWords words_;
    const std::vector<TableColumn> columns_;
    RecordWriter writer_;
    std::size_t done_ = 0;
    std::size_t not_found_ = 0;
    std::size_t refused_ = 0;
};

/// Calls `operation` for each id and reports its answers. `why_refused` may speak against an id
/// before: in words, or with an empty text.
[[nodiscard]] ExitCode for_each_id(
    Session& session,
    const std::vector<std::string>& ids,
    std::string_view done_word,
    const std::function<persistence::JobAnswer(const std::string& id)>& operation,
    const std::function<std::string(const std::string& id)>& why_refused = {}
);

/// Why the answer to an id was not_found: there is no such job, or it stands in another place.
[[nodiscard]] std::string why_not_found(Session& session, const std::string& id);

}  // namespace jobstrand::cli
