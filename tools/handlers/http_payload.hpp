#pragma once

#include "schema/text/parse_result.hpp"

#include <string>
#include <string_view>

namespace jobstrand::cli {

/// The app that the payload of an `http` job names: `{"target": "NAME", ...}`. The other members
/// are the app's own business; it gets the whole payload.
[[nodiscard]] schema::ParseResult<std::string> target_named_in(std::string_view payload);

/// What an `http` job needs (see executor::HandlerRegistry::Needs): the table of the configuration
/// that its payload names, such as `[targets.shop]`; empty: the payload names none.
[[nodiscard]] std::string need_of_http(std::string_view payload);

/// The same of a table.
[[nodiscard]] std::string need_of_target(std::string_view name);

}  // namespace jobstrand::cli
