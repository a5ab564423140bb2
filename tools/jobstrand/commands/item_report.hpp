#pragma once

#include "persistence/job_store.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// Reports what became of each of several ids: a record per id on stdout, a line per trouble on
/// stderr, and one exit code for all.
class ItemReport final {
public:
    /// `done_word` is what happened: "removed". Both must outlive it.
    ItemReport(Session& session, std::string_view done_word);

    void done(const std::string& id);

    /// Nothing had to be done; no trouble.
    void skipped(const std::string& id, const std::string& why);
    void not_found(const std::string& id, const std::string& why);
    void refused(const std::string& id, const std::string& why);

    /// done; partly_done when some worked and some did not; else what stood in the way of all.
    [[nodiscard]] ExitCode finish();

private:
    void add(const std::string& id, std::string_view answer);

    Session& session_;
    const std::string_view done_word_;
    RecordWriter writer_;
    std::size_t done_ = 0;
    std::size_t not_found_ = 0;
    std::size_t refused_ = 0;
};

/// Calls `operation` for each id and reports its answers.
[[nodiscard]] ExitCode for_each_id(
    Session& session,
    const std::vector<std::string>& ids,
    std::string_view done_word,
    const std::function<persistence::Answer(const std::string& id)>& operation
);

/// Why the answer to an id was not_found: there is no such job, or it stands in another place.
[[nodiscard]] std::string why_not_found(Session& session, const std::string& id);

}  // namespace jobstrand::cli
