#pragma once

#include "tools/jobstrand/commands/job/job_listing.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct TimerListOptions {
    ListOptions list;
    std::optional<std::string> group;
    std::string state = "waiting";  ///< waiting, paused or all.
    std::string zone = "UTC";
};

/// `timer ls`: timers in id order, each with what its series says if it is the turn that waits for
/// it (R141). Paused ones are the timers that stand in the suspended place.
[[nodiscard]] ExitCode list_timers(Session& session, const TimerListOptions& options);

struct TimerShowOptions {
    std::string id;
    std::string zone = "UTC";
};

/// `timer show`: one timer with all its fields, those of its series too.
[[nodiscard]] ExitCode show_timer(Session& session, const TimerShowOptions& options);

}  // namespace jobstrand::cli
