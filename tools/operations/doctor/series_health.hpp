#pragma once

#include "schema/series/series.hpp"
#include "tools/operations/doctor/finding.hpp"

#include <cstddef>
#include <vector>

namespace jobstrand::cli {

/// Series that are looked at; more would take long.
inline constexpr std::size_t kSeriesLookedAt = 10'000;

/// Computes the waiting turns of series anew, and names those that are due at another time. Pure.
void check_series(const std::vector<schema::Series>& waiting, Findings& findings);

}  // namespace jobstrand::cli
