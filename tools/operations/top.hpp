#pragma once

#include "tools/session/session.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace jobstrand::cli {

/// Of `top`, which shows what goes on again and again.
struct TopOptions {
    bool once = false;
    std::string interval = "2s";
    bool soon = false;
};

/// Whether it is to be shown again and again, and can be: on a terminal, for people.
[[nodiscard]] bool goes_on(Session& session, const TopOptions& options);

/// Shows on the terminal what `look` says, for so many columns, until somebody ends it.
void show_again(
    Session& session,
    const TopOptions& options,
    const std::function<std::string(std::optional<std::size_t> columns)>& look
);

}  // namespace jobstrand::cli
