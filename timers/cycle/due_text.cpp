#include "timers/cycle/due_text.hpp"

#include "timers/calendar/calendar_text.hpp"
#include "timers/cycle/timer_expression.hpp"

#include <optional>

namespace jobstrand::timers {

using schema::ParseError;

schema::ParseResult<schema::TimePoint>
due_date_of(const DueText& due, const schema::CalendarTexts& calendars, schema::TimePoint now) {
    const auto expression = parse_timer_expression(due.text);
    if (!expression) {
        return expression.error();
    }
    const auto zone = Zone::find(due.zone);
    if (!zone) {
        return ParseError{"zone: " + zone.error().message};
    }
    TimerContext context{.zone = zone.value()};
    std::optional<Calendar> calendar;
    if (!due.calendar.empty()) {
        const auto found = find_calendar(due.calendar, calendars);
        if (!found) {
            return ParseError{"calendar: " + found.error().message};
        }
        context.calendar = &calendar.emplace(found.value());
    }
    const auto time = due_time(expression.value(), context, now);
    if (!time) {
        return ParseError{"this is never due"};
    }
    return *time;
}

}  // namespace jobstrand::timers
