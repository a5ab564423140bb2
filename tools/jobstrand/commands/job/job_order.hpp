#pragma once

#include "schema/job_fields.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// What lists of jobs may be sorted by, as --sort and `sort` name it; nullopt: not by that.
[[nodiscard]] std::optional<schema::JobMember> sort_named(std::string_view word);

/// `id, due, created, priority, retries or type`.
[[nodiscard]] std::string sort_names();

}  // namespace jobstrand::cli
