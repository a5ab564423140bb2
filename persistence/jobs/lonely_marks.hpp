#pragma once

#include "persistence/rows/store_context.hpp"

#include <cstdint>
#include <string_view>

namespace jobstrand::persistence {

/// Rows of ACT_RU_JOB by their ids.
struct RowsBetween {
    std::string_view after;  ///< Exclusive; empty: from the start.
    std::string_view last;
};

/// Frees jobs whose mark says that they wait, while no row of their room knows it: tables were
/// restored one by one, or somebody deleted rows by SQL. Nobody would ever take them out. Of very
/// many that wait another few hundred are looked at each time. Returns how many were freed.
std::int64_t
free_lonely_marks(const StoreContext& context, const RowsBetween& rows, schema::TimePoint now);

}  // namespace jobstrand::persistence
