#pragma once

#include "tools/parameters/option_values.hpp"
#include "tools/parameters/parameter.hpp"

namespace jobstrand::cli {

/// --due and --due-in, and what they mean for this operation.
[[nodiscard]] Parameters<DueOptions>
due_parameters(const char* date_meaning, const char* duration_meaning);

/// --zone and --calendar, for what the due options do not say themselves.
[[nodiscard]] const Parameters<DueOptions>& due_context_parameters();

}  // namespace jobstrand::cli
