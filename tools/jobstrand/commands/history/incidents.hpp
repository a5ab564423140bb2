#pragma once

#include "tools/jobstrand/commands/bulk_selection.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// Which incidents are meant.
struct IncidentFilterOptions {
    std::optional<std::string> type;
    std::optional<std::string> definition;
    std::optional<std::string> instance;
    std::optional<std::string> cause;
    std::optional<std::string> tenant;
    std::optional<std::string> since;
    std::optional<std::string> until;
};

struct IncidentListOptions {
    IncidentFilterOptions filter;
    std::optional<std::string> job;
    bool resolved = false;
    bool each = false;
    std::string limit = "100";
    std::string after;
};

/// `incident ls`: the open ones by what their jobs died of, the most frequent cause first; or each
/// by itself, as the resolved ones are, those of one job, and those behind one of them.
[[nodiscard]] ExitCode list_incidents(Session& session, const IncidentListOptions& options);

struct IncidentShowOptions {
    std::string job;
};

/// `incident show`: all incidents of a job, the open one first.
[[nodiscard]] ExitCode show_incidents(Session& session, const IncidentShowOptions& options);

struct IncidentNoteOptions {
    std::vector<std::string> jobs;
    std::string text;
};

/// `incident annotate`.
[[nodiscard]] ExitCode annotate_incidents(Session& session, const IncidentNoteOptions& options);

struct IncidentResolveOptions : BulkFlags {
    std::vector<std::string> jobs;
    IncidentFilterOptions filter;
};

/// `incident resolve`: their dead letters stay.
[[nodiscard]] ExitCode resolve_incidents(Session& session, const IncidentResolveOptions& options);

}  // namespace jobstrand::cli
