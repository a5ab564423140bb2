#pragma once

#include "persistence/url/database_url.hpp"
#include "schema/text/parse_result.hpp"

#include <string_view>

namespace jobstrand::persistence {

/// A URL of one of the databases that this program knows. Percent-escapes are decoded. Unknown
/// schemes and unknown options are errors that name the known ones.
[[nodiscard]] schema::ParseResult<DatabaseUrl> parse_database_url(std::string_view text);

}  // namespace jobstrand::persistence
