#include "tools/jobstrand/commands/series/calendars.hpp"

#include "schema/limits.hpp"
#include "timers/calendar/calendar_text.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"
#include "tools/jobstrand/output/marked_text.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using persistence::CalendarAnswer;
using persistence::StoredCalendar;

const std::vector<TableColumn>& calendar_columns() {
    static const std::vector<TableColumn> both{
        {.field = "calendar", .heading = "CALENDAR", .width_max = 64},
        {.field = "text", .heading = "TEXT", .width_max = 100, .rank = 1, .width_least = 16},
    };
    return both;
}

[[nodiscard]] Record record_of(const StoredCalendar& calendar) {
    return {text_field("calendar", calendar.name), text_field("text", calendar.text)};
}

[[nodiscard]] std::string no_such_calendar(const std::string& name) {
    return "there is no calendar " + quoted_if_needed(name);
}

[[nodiscard]] std::string text_of(Session& session, const CalendarSetOptions& options) {
    if (options.text.has_value() == options.from.has_value()) {
        throw CliError(ExitCode::wrong_usage, "say what it excludes: TEXT, or --from FILE");
    }
    return options.text ? *options.text : content_of(session, "--from", *options.from);
}

/// Whether the calendars that it names are there is left to the store, which knows them.
void refuse_unreadable(const std::string& text) {
    if (const auto read = timers::parse_calendar(text); !read) {
        throw CliError(ExitCode::wrong_usage, "TEXT is wrong " + with_mark(text, read.error()));
    }
}

}  // namespace

ExitCode list_calendars(Session& session, const CalendarListOptions&) {
    RecordWriter writer(
        session.streams().out, session.format(), calendar_columns(), session.style()
    );
    for (const StoredCalendar& calendar : session.series_store().calendars()) {
        writer.add(record_of(calendar));
    }
    writer.finish();
    return ExitCode::done;
}

ExitCode show_calendar(Session& session, const CalendarShowOptions& options) {
    const std::vector<StoredCalendar> all = session.series_store().calendars();
    const auto found = std::ranges::find(all, options.name, &StoredCalendar::name);
    if (found == all.end()) {
        throw CliError(ExitCode::not_found, no_such_calendar(options.name));
    }
    write_record(session.streams().out, session.format(), record_of(*found), session.style());
    return ExitCode::done;
}

ExitCode set_calendar(Session& session, const CalendarSetOptions& options) {
    const StoredCalendar calendar{
        .name = id_of("the name", options.name),
        .text = text_of(session, options),
    };
    refuse_unreadable(calendar.text);
    const std::size_t series =
        session.series_store().put_calendar(calendar, session.database_now());
    write_record(
        session.streams().out,
        session.format(),
        {text_field("calendar", calendar.name),
         number_field("series", static_cast<std::int64_t>(series))}
    );
    return ExitCode::done;
}

ExitCode remove_calendars(Session& session, const CalendarRemoveOptions& options) {
    const auto why_not = [](const deadletter::ItemResult& item) {
        return item.answer == deadletter::ItemAnswer::not_found
                   ? no_such_calendar(item.id)
                   : fmt::format(
                         "a series, or another calendar, uses the calendar {}",
                         quoted_if_needed(item.id)
                     );
    };
    ItemReport report(session, {.done = "removed", .field = "calendar", .why_not = why_not});
    session.series().remove_calendars(typed_ids(session, options.names), report.watch());
    return report.finish();
}

}  // namespace jobstrand::cli
