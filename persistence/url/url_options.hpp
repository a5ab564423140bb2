#pragma once

#include "schema/time.hpp"

#include <string_view>

namespace jobstrand::persistence {

struct DatabaseUrl;

/// The value of an option that url_option_error accepted.
[[nodiscard]] std::string_view
option_text(const DatabaseUrl& url, std::string_view key, std::string_view otherwise);
[[nodiscard]] schema::Duration
option_duration(const DatabaseUrl& url, std::string_view key, schema::Duration otherwise);

}  // namespace jobstrand::persistence
