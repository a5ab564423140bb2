#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct NextOptions {
    std::string expression;
    std::string zone = "UTC";
    std::optional<std::string> after;
    std::string count = "5";
    std::string dst = "quartz";
};

/// `timer next`: when a timer with this text would fire. One time per line, without a heading;
/// `none` if there is none, in JSON an empty list. Opens no database.
[[nodiscard]] ExitCode show_next_times(Session& session, const NextOptions& options);

}  // namespace jobstrand::cli
