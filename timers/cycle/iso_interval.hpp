#pragma once

#include "schema/text/parsing.hpp"
#include "timers/zone/zone_time.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace jobstrand::timers {

/// An ISO 8601 interval: `START/PERIOD`, `PERIOD/END`, `START/END`, a lone `PERIOD`, and (ours)
/// `START/PERIOD/END`. Of START/END the period is the distance, and `end` is empty.
struct IsoInterval {
    std::optional<TimerDate> start;
    schema::IsoDuration period;
    std::optional<TimerDate> end;

    bool operator==(const IsoInterval&) const = default;
};

/// Reads the interval that begins at `offset` of `text`; positions count from the whole text.
[[nodiscard]] schema::ParseResult<IsoInterval>
parse_iso_interval(std::string_view text, std::size_t offset = 0);

}  // namespace jobstrand::timers
