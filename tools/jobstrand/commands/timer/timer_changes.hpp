#pragma once

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

struct FireOptions {
    std::vector<std::string> ids;
};

/// `timer fire`: makes timers executable now.
[[nodiscard]] ExitCode fire_timers(Session& session, const FireOptions& options);

struct RescheduleOptions {
    std::vector<std::string> ids;
    DueOptions due;
};

/// `timer reschedule`: gives timers another due date.
[[nodiscard]] ExitCode reschedule_timers(Session& session, const RescheduleOptions& options);

}  // namespace jobstrand::cli
