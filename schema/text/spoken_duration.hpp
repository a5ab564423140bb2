#pragma once

#include "schema/text/iso8601.hpp"
#include "schema/text/parse_result.hpp"

#include <string_view>

namespace jobstrand::schema {

/// A duration as people write it: `5m`, `1h30m`, `500ms`, `2 days`, or in ISO 8601, `PT5M`.
///
/// Units, each once and the larger first, also as whole words: w, d, h, m (a minute), s, ms. A
/// number without a unit is refused, because readers would guess different ones; so are signs and
/// fractions, except of seconds. Days and weeks are calendar parts of the answer, as in ISO 8601.
[[nodiscard]] ParseResult<IsoDuration> parse_spoken_duration(std::string_view text);

/// Reads a duration as an exact length. Refuses years and months, which have none; a day is 24
/// hours.
[[nodiscard]] ParseResult<Duration> parse_exact_duration(std::string_view text);

}  // namespace jobstrand::schema
