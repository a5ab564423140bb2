#pragma once

#include "schema/series.hpp"
#include "schema/text/parse_result.hpp"
#include "schema/time.hpp"
#include "tools/jobstrand/json/new_job.hpp"

#include <optional>
#include <string>
#include <vector>

/// Whether the texts of a series mean something, in words for the person who wrote them. The store
/// refuses the same texts; here it is known which field they stood in.
namespace jobstrand::cli {

/// Where and why a repeat cannot be read; nullopt: it can.
[[nodiscard]] std::optional<schema::ParseError> problem_of_repeat(const std::string& repeat);

/// Everything else that speaks against beginning a series with its texts and options, one sentence
/// per mistake that names the field as in JSON; empty: nothing. Precondition: its repeat can be
/// read.
[[nodiscard]] std::vector<std::string> problems_of_series(
    const NewJob& job,
    const schema::CalendarTexts& calendars,
    schema::TimePoint now
);

}  // namespace jobstrand::cli
