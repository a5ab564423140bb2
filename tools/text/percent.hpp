#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::service {

/// A part of a URL without its escapes (RFC 3986). nullopt: a bad escape, a control character, or
/// bytes that are not UTF-8.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

/// A segment of a path with all that is not a letter, a digit or one of `-._~` escaped.
[[nodiscard]] std::string percent_encoded(std::string_view text);

using QueryItem = std::pair<std::string, std::string>;

/// `type=mail&limit=10`, decoded, `+` as a blank; a name without `=` has an empty value. nullopt:
/// as percent_decoded.
[[nodiscard]] std::optional<std::vector<QueryItem>> query_items(std::string_view query);

}  // namespace jobstrand::service
