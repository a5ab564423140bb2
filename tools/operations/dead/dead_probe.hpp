#pragma once

#include "deadletter/bulk/job_selection.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

/// `--probe`: requeues the first of a selection for one attempt, waits until it has ended, and
/// returns its id when it succeeded. Throws CliError with what it came to otherwise; then no other
/// was touched. `wait` is how long it waits at most, as it was typed.
[[nodiscard]] std::string try_first(
    Session& session,
    const deadletter::DeadSelection& selection,
    const std::optional<std::string>& wait
);

}  // namespace jobstrand::cli
