#pragma once

#include "schema/job.hpp"

#include <string>
#include <vector>

namespace jobstrand::schema {

/// What keeps a job from being stored, one sentence per mistake that names the field and the bound;
/// empty: nothing. Checks lengths, characters (ids printable ASCII, texts UTF-8 without NUL), the
/// type, retries (0 to limits::kRetryAttempts), the retry cycle, and the handler type, which must
/// be there.
[[nodiscard]] std::vector<std::string> problems_of(const Job& job);

}  // namespace jobstrand::schema
