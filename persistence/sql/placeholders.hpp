#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// How many `?` of a statement stand for parameters: those outside of quoted texts, quoted names
/// and comments.
[[nodiscard]] std::size_t count_placeholders(std::string_view sql);

/// The statement with `:1`, `:2`, ... in their places, as SOCI wants them for PostgreSQL.
[[nodiscard]] std::string name_placeholders(std::string_view sql);

/// The statement with `$1`, `$2`, ... in their places, as PostgreSQL itself wants them.
[[nodiscard]] std::string number_placeholders(std::string_view sql);

}  // namespace jobstrand::persistence
