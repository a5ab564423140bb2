#pragma once

#include "tools/session/session.hpp"
#include "tools/surface/completion.hpp"

#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// What the database has of a source, with a word about each: at most some hundred, those first
/// that come behind `typed`. Opens the database; throws what that throws.
[[nodiscard]] std::vector<Candidate>
known_values(Session& session, ValueSource source, std::string_view typed);

}  // namespace jobstrand::cli
