#pragma once

#include "schema/series.hpp"
#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <optional>
#include <string>
#include <vector>

/// Whether the texts of a series mean something, in words for the person who wrote them. The store
/// refuses the same texts; here it is known which field they stood in.
namespace jobstrand::timers {

/// Where and why a repeat cannot be read; nullopt: it can.
[[nodiscard]] std::optional<schema::ParseError> problem_of_repeat(const std::string& repeat);

/// Everything else that speaks against beginning a series with these texts and options, one
/// sentence per mistake that names the field as in JSON; empty: nothing. `first_due` is the due
/// date of the first turn, if it was given. Precondition: its repeat can be read.
[[nodiscard]] std::vector<std::string> problems_of_new(
    const schema::Series& series,
    const schema::CalendarTexts& calendars,
    const std::optional<schema::TimePoint>& first_due,
    schema::TimePoint now
);

}  // namespace jobstrand::timers
