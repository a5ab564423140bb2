#include "timers/calendar/calendar_text.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using persistence::StoredCalendar;

struct CalendarText {
    std::string name;
    std::optional<std::string> text;
    std::optional<std::string> from;  ///< The file that has it.
};

struct CalendarStored {
    std::string name;
    std::size_t series = 0;
};

[[nodiscard]] const Fields<StoredCalendar>& calendar_fields() {
    static const Fields<StoredCalendar> all{
        {.name = "calendar",
         .value = &StoredCalendar::name,
         .column = {.heading = "CALENDAR", .width_max = 64}},
        {.name = "text",
         .value = &StoredCalendar::text,
         .meaning = "Lines that exclude times",
         .column = {.heading = "TEXT", .width_max = 100, .rank = 1, .width_least = 16}},
    };
    return all;
}

[[nodiscard]] const Fields<CalendarStored>& stored_fields() {
    static const Fields<CalendarStored> all{
        {.name = "calendar", .value = &CalendarStored::name},
        {.name = "series",
         .value = &CalendarStored::series,
         .meaning = "How many series use it: their waiting turns have moved"},
    };
    return all;
}

[[nodiscard]] std::string no_such_calendar(const std::string& name) {
    return "there is no calendar " + quoted_if_needed(name);
}

[[nodiscard]] std::string why_it_stays(const deadletter::ItemResult& item) {
    return item.answer == deadletter::ItemAnswer::not_found
               ? no_such_calendar(item.id)
               : fmt::format(
                     "a series, or another calendar, uses the calendar {}",
                     quoted_if_needed(item.id)
                 );
}

[[nodiscard]] std::string text_of(Session& session, const CalendarText& given) {
    if (given.text.has_value() == given.from.has_value()) {
        throw WrongUsage("say what it excludes: TEXT, or --from FILE");
    }
    return given.text ? *given.text : content_of(session, "--from", *given.from);
}

[[nodiscard]] std::vector<StoredCalendar> list_calendars(Session& session, const NoParameters&) {
    return session.series_store().calendars();
}

[[nodiscard]] StoredCalendar show_calendar(Session& session, const NamedThing& named) {
    const std::vector<StoredCalendar> all = session.series_store().calendars();
    const auto found = std::ranges::find(all, named.name, &StoredCalendar::name);
    if (found == all.end()) {
        throw NotFound(no_such_calendar(named.name));
    }
    return *found;
}

/// Whether the calendars that it names are there is left to the store, which knows them.
[[nodiscard]] CalendarStored set_calendar(Session& session, const CalendarText& given) {
    const StoredCalendar calendar{
        .name = id_of("the name", given.name), .text = text_of(session, given)};
    if (const auto read = timers::parse_calendar(calendar.text); !read) {
        throw WrongUsage("TEXT is wrong " + with_mark(calendar.text, read.error()));
    }
    return {
        .name = calendar.name,
        .series = session.series_store().put_calendar(calendar, session.database_now()),
    };
}

void remove_calendars(
    Session& session,
    const NamedThings& named,
    const deadletter::BulkWatch& watch
) {
    session.series().remove_calendars(named.names, watch);
}

[[nodiscard]] Parameters<CalendarText> text_parameters() {
    return {
        {"name",
         &CalendarText::name,
         "The calendar",
         {.unit = "NAME", .is_required = true, .may_be_empty = true}},
        {"text",
         &CalendarText::text,
         "Lines, or parts between semicolons, that exclude times",
         {.unit = "TEXT", .may_be_empty = true}},
        {"--from",
         &CalendarText::from,
         "The text is in a file; - for stdin",
         {.unit = "FILE", .may_be_empty = true}},
    };
}

}  // namespace

OperationNoun calendar_noun() {
    return {
        .name = "calendar",
        .summary = "Times that series leave out",
        .examples =
            "  jobstrand calendar set sundays 'weekly SUN'\n"
            "  jobstrand calendar ls",
        .operations =
            {
                list_operation<NoParameters>(
                    {.words = "calendar ls",
                     .summary = "List calendars",
                     .examples = "  jobstrand calendar ls -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/calendars"},
                    {},
                    calendar_fields(),
                    list_calendars
                ),
                record_operation(
                    {.words = "calendar show",
                     .summary = "Show a calendar",
                     .examples = "  jobstrand calendar show working-days",
                     .role = service::Role::read,
                     .path = "GET /api/v1/calendars/{calendar}"},
                    one_name("name", "The calendar", "NAME"),
                    calendar_fields(),
                    show_calendar
                ),
                record_operation(
                    {.words = "calendar set",
                     .summary = "Store a calendar, new or changed; waiting turns move at once",
                     .examples = "  jobstrand calendar set working-days 'weekly SAT SUN'\n"
                                 "  jobstrand calendar set germany "
                                 "'zone Europe/Berlin; annual 01-01 05-01 10-03 12-25 12-26'\n"
                                 "  jobstrand calendar set office --from office.txt",
                     .path = "PUT /api/v1/calendars/{calendar}"},
                    text_parameters(),
                    stored_fields(),
                    set_calendar
                ),
                items_operation(
                    {.words = "calendar rm",
                     .summary = "Delete calendars that no series uses",
                     .examples = "  jobstrand calendar rm working-days",
                     .path = "DELETE /api/v1/calendars/{calendar}"},
                    several_names("names", "The calendars; - reads them from stdin", "NAME"),
                    {.done = "removed", .field = "calendar", .why_not = why_it_stays},
                    remove_calendars
                ),
            },
    };
}

}  // namespace jobstrand::cli
