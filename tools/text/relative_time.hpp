#pragma once

#include "schema/time.hpp"

#include <string>

namespace jobstrand::cli {

/// How far a time lies from now, for a glance at a terminal: `in 3 min`, `2 h ago`, `now`. One unit
/// (s, min, h, d), rounded towards now; from two years on, `in 2 y`. What must be exact, or read by
/// a program, shows the time itself.
[[nodiscard]] std::string relative_time(schema::TimePoint time, schema::TimePoint now);

/// How long ago something was, for people, in its largest unit: `3 d ago`, `12 min ago`, `0 s ago`.
/// What lies ahead is `0 s ago`: clocks differ.
[[nodiscard]] std::string age_text(schema::Duration age);

}  // namespace jobstrand::cli
