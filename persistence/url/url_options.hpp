#pragma once

#include "schema/database_kind.hpp"
#include "schema/time.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

struct DatabaseUrl;

/// What is wrong with an option of a database URL, in words for the person who wrote it; nullopt:
/// nothing.
[[nodiscard]] std::optional<std::string>
url_option_error(schema::DatabaseKind kind, std::string_view key, std::string_view value);

/// The value of an option that url_option_error accepted.
[[nodiscard]] std::string_view
option_text(const DatabaseUrl& url, std::string_view key, std::string_view otherwise);
[[nodiscard]] schema::Duration
option_duration(const DatabaseUrl& url, std::string_view key, schema::Duration otherwise);

}  // namespace jobstrand::persistence
