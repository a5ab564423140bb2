#pragma once

#include "schema/series.hpp"

namespace jobstrand::timers {

/// Whether the waiting turn of a series is due at a time that its text names in its zone, by the
/// rules of that zone as they are now. No: its zone has got new rules since the turn was made, or
/// somebody has chosen its date by hand. What does not go by a clock on the wall is always true,
/// and so is a text that cannot be read.
[[nodiscard]] bool is_due_by_text(const schema::Series& series);

}  // namespace jobstrand::timers
