#pragma once

#include "schema/time.hpp"
#include "timers/zone/zone.hpp"
#include "tools/output/record.hpp"

#include <optional>
#include <string_view>

namespace jobstrand::cli {

/// ISO 8601: in UTC with milliseconds, elsewhere with the zone's offset; null when there is none.
/// On a terminal tables tell how far it is from now, unless a zone was asked for.
[[nodiscard]] RecordField time_field(
    std::string_view name,
    const std::optional<schema::TimePoint>& time,
    const timers::Zone& zone = timers::Zone::utc()
);

}  // namespace jobstrand::cli
