#include "tools/engine/due_texts.hpp"

#include "timers/cycle/due_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::engine {

namespace {

[[nodiscard]] bool names_calendar(const NewJob& job) {
    return !job.due.empty() && !job.due_calendar.empty();
}

void resolve(NewJob& job, schema::TimePoint now, const schema::CalendarTexts& calendars) {
    if (job.due_date) {
        throw std::invalid_argument("due and due_date exclude each other");
    }
    const timers::DueText text{
        .text = std::exchange(job.due, {}), .zone = job.due_zone, .calendar = job.due_calendar};
    const auto date = timers::due_date_of(text, calendars, now);
    if (!date) {
        throw std::invalid_argument(fmt::format("due \"{}\": {}", text.text, date.error().message));
    }
    job.due_date = date.value();
}

}  // namespace

void resolve_due_texts(
    std::span<NewJob> jobs,
    schema::TimePoint now,
    const std::function<schema::CalendarTexts()>& calendars
) {
    const auto texts =
        std::ranges::any_of(jobs, names_calendar) ? calendars() : schema::CalendarTexts();
    for (NewJob& job : jobs) {
        if (!job.due.empty()) {
            resolve(job, now, texts);
        }
    }
}

}  // namespace jobstrand::engine
