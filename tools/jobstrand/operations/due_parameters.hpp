#pragma once

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/operations/parameter.hpp"

namespace jobstrand::cli {

/// --due and --due-in, and what they mean for this operation.
[[nodiscard]] Parameters<DueOptions>
due_parameters(const char* date_meaning, const char* duration_meaning);

/// --zone and --calendar, for what the due options do not say themselves.
[[nodiscard]] const Parameters<DueOptions>& due_context_parameters();

}  // namespace jobstrand::cli
