#pragma once

#include "persistence/url/database_url.hpp"
#include "persistence/url/url_rules.hpp"
#include "schema/text/parse_result.hpp"

#include <span>
#include <string_view>

namespace jobstrand::persistence {

/// Percent-escapes are decoded. Unknown schemes and unknown options are errors that name the known
/// ones.
[[nodiscard]] schema::ParseResult<DatabaseUrl>
parse_url(std::string_view text, std::span<const UrlRules> known);

}  // namespace jobstrand::persistence
