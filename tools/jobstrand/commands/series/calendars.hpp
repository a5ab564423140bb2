#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

struct CalendarListOptions {};

/// `calendar ls`: all calendars, in the order of their names.
[[nodiscard]] ExitCode list_calendars(Session& session, const CalendarListOptions& options);

struct CalendarShowOptions {
    std::string name;
};

/// `calendar show`: prints the text of a calendar as it was written.
[[nodiscard]] ExitCode show_calendar(Session& session, const CalendarShowOptions& options);

struct CalendarSetOptions {
    std::string name;
    std::optional<std::string> text;
    std::optional<std::string> from;  ///< `-`: stdin.
};

/// `calendar set`: stores a calendar, new or changed, and moves the waiting turns that it leaves
/// out.
[[nodiscard]] ExitCode set_calendar(Session& session, const CalendarSetOptions& options);

struct CalendarRemoveOptions {
    std::vector<std::string> names;
};

/// `calendar rm`: deletes calendars that nothing uses.
[[nodiscard]] ExitCode remove_calendars(Session& session, const CalendarRemoveOptions& options);

}  // namespace jobstrand::cli
