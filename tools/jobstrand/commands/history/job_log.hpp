#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct LogListOptions {
    std::optional<std::string> job;
    std::optional<std::string> type;
    std::optional<std::string> definition;
    std::optional<std::string> instance;
    std::optional<std::string> element;
    std::optional<std::string> tenant;
    std::optional<std::string> node;
    std::optional<std::string> reason;
    std::optional<std::string> events;
    std::optional<std::string> since;
    std::optional<std::string> until;
    std::string limit = "100";
    std::string after;
};

/// `log ls`: what happened to jobs, the latest first.
[[nodiscard]] ExitCode list_log(Session& session, const LogListOptions& options);

struct LogShowOptions {
    std::string id;
};

/// `log show`: one line, with the end of the stack trace or output.
[[nodiscard]] ExitCode show_log_line(Session& session, const LogShowOptions& options);

struct LogRemoveOptions {
    std::string before;
};

/// `log rm`: forgets what is older.
[[nodiscard]] ExitCode remove_log(Session& session, const LogRemoveOptions& options);

}  // namespace jobstrand::cli
