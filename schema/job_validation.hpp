#pragma once

#include "schema/job.hpp"
#include "schema/job_fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::schema {

/// What keeps a job from being stored, one sentence per mistake that names the field and the bound;
/// empty: nothing. Checks lengths, characters (ids printable ASCII without a space at the end,
/// texts UTF-8 without NUL), the type, retries (0 to limits::kRetryAttempts), the retry cycle, the
/// due date (years 1970 to 9999), and the handler type, which must be there.
[[nodiscard]] std::vector<std::string> problems_of(const Job& job);

/// Returns what is wrong with one field of the job.
[[nodiscard]] std::vector<std::string> problems_of_field(const JobField& field, const Job& job);

/// Returns what is wrong with a payload alone.
[[nodiscard]] std::vector<std::string> problems_of_payload(std::string_view payload);

}  // namespace jobstrand::schema
