#pragma once

#include "schema/text/utf8.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::cli {

using schema::printable;
using schema::quoted_if_needed;

/// JSON text whose strings hold no character above ASCII that controls a terminal, breaks a line or
/// turns the direction of reading: these become `\uNNNN`. It means the same as before.
[[nodiscard]] std::string escaped_for_json(std::string_view json);

/// A number and what it counts: `1 job waits`, `3 jobs wait`.
[[nodiscard]] std::string counted(std::int64_t number, std::string_view one, std::string_view many);

/// Characters (code points) of UTF-8 text: how a place in it is told.
[[nodiscard]] std::size_t characters_of(std::string_view text);

/// Columns of a terminal that UTF-8 text fills: two for a character of East Asia, none for a mark
/// that combines with the one before it.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// At most `width` columns; a text that is wider ends in `…`.
[[nodiscard]] std::string cut_to_width(std::string text, std::size_t width);

/// How far a time lies from now, for a glance at a terminal: `in 3 min`, `2 h ago`, `now`. One unit
/// (s, min, h, d), rounded towards now; from two years on, `in 2 y`. What must be exact, or read by
/// a program, shows the time itself.
[[nodiscard]] std::string relative_time(schema::TimePoint time, schema::TimePoint now);

/// How long ago something was, for people, in its largest unit: `3 d ago`, `12 min ago`, `0 s ago`.
/// What lies ahead is `0 s ago`: clocks differ.
[[nodiscard]] std::string age_text(schema::Duration age);

}  // namespace jobstrand::cli
