#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <cstddef>

/// Words of a wall clock that several texts have; what is wrong the scanner keeps.
namespace jobstrand::timers {

/// `09:00`, `09:00:30`, `09:00:30.5`: since midnight.
[[nodiscard]] schema::Duration read_time_of_day(schema::TextScanner& scanner);

/// `MON`, `mon`: 0 is Sunday.
[[nodiscard]] std::size_t read_weekday(schema::TextScanner& scanner);

}  // namespace jobstrand::timers
