#pragma once

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// The beginning of a statement on one line, for error messages; it has no values in it.
[[nodiscard]] std::string sql_summary(std::string_view sql);

}  // namespace jobstrand::persistence
