#pragma once

#include "schema/paging.hpp"
#include "schema/series/series.hpp"
#include "tools/operations/doctor/finding.hpp"

#include <cstddef>

namespace jobstrand::cli {

/// Series that wait and are looked at; more would take long.
inline constexpr std::size_t kSeriesLookedAt = 10'000;

/// And for a page, which asks again and again.
inline constexpr std::size_t kSeriesLookedAtSoon = 2'000;

/// Computes the waiting turns of series anew, and names those that are due at another time. Pure.
void check_series(const schema::Page<schema::Series>& waiting, Findings& findings);

}  // namespace jobstrand::cli
