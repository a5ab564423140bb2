#pragma once

#include "tools/session/session.hpp"

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

/// The job that `typed` names: an id, or one that a table has shortened (`01a205a8-3e16-7001…`, or
/// with three dots). An id that is typed whole is not looked for here, and not cut short either:
/// who removes `order-1` does not mean `order-17`.
///
/// Throws CliError: not_found when no job begins so, wrong_usage when several do.
[[nodiscard]] std::string job_id(Session& session, const std::string& typed);

/// typed_ids(), and job_id() of each.
[[nodiscard]] std::vector<std::string>
job_ids(Session& session, const std::vector<std::string>& typed);

}  // namespace jobstrand::cli
