#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "persistence/series_store.hpp"
#include "schema/paging.hpp"
#include "timers/zone/zone.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct SeriesListOptions {
    std::optional<std::string> group;
    std::optional<std::string> state;
    std::string zone = "UTC";
    std::string limit = "100";
    std::string after;
};

/// `series ls`: series in the order of their keys, those that have ended too (R141). When there are
/// more, stderr says how to go on.
[[nodiscard]] ExitCode list_series(Session& session, const SeriesListOptions& options);

struct SeriesShowOptions {
    std::string key;
    std::string zone = "UTC";
};

/// `series show`: one series with all its fields.
[[nodiscard]] ExitCode show_series(Session& session, const SeriesShowOptions& options);

/// The series, or CliError not_found.
[[nodiscard]] persistence::SeriesSummary find_series(Session& session, const std::string& key);

/// Writes series in the chosen format, and how to go on when there are more.
void write_series(
    Session& session,
    const schema::Page<persistence::SeriesSummary>& series,
    const timers::Zone& zone
);

// Words for messages.

/// `series nightly`.
[[nodiscard]] std::string named(const std::string& key);
/// `there is no series nightly`.
[[nodiscard]] std::string no_such(const std::string& key);
/// Why nothing was done about a series.
[[nodiscard]] std::string why_not_series(const deadletter::ItemResult& item);

/// For --group; throws CliError wrong_usage for an empty one.
[[nodiscard]] std::optional<std::string> group_of(const std::optional<std::string>& text);

}  // namespace jobstrand::cli
