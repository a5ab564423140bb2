#pragma once

#include "schema/series.hpp"
#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <string>

namespace jobstrand::timers {

/// When a job is due, as it was written: any timer text, and what it does not say itself.
struct DueText {
    std::string text;
    std::string zone = "UTC";
    std::string calendar = {};  ///< By name; empty: business days are Monday to Friday.
};

/// The due date of a job that is enqueued at `now`. The one meaning of such a text, for the command
/// line, JSON and apps. `calendars` holds those that there are, if one is named.
///
/// Of a text that repeats it is the next time. The position of an error is in the text, or 0 for
/// the other two. A text that is never due is an error.
[[nodiscard]] schema::ParseResult<schema::TimePoint>
due_date_of(const DueText& due, const schema::CalendarTexts& calendars, schema::TimePoint now);

}  // namespace jobstrand::timers
