#pragma once

#include "tools/jobstrand/session.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// Ids that one command takes from stdin.
inline constexpr std::size_t kIdsFromInput = 1'000'000;

/// Ids, keys or names as they were typed, where `-` stands for those on stdin, one on each line:
/// what a list with `-o name` writes. Blank lines are passed over, so an empty list means nothing
/// and never everything.
///
/// Throws CliError: wrong_usage for an empty text, for a second `-`, and for more than
/// kIdsFromInput lines; failed when stdin breaks off.
[[nodiscard]] std::vector<std::string>
typed_ids(Session& session, const std::vector<std::string>& typed);

}  // namespace jobstrand::cli
