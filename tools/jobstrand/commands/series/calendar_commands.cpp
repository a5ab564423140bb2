#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/commands/series/calendars.hpp"

namespace jobstrand::cli {

namespace {

void add_set(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<CalendarSetOptions>(
        noun,
        action,
        {.name = "set",
         .summary = "Store a calendar, new or changed; waiting turns move at once",
         .examples = "  jobstrand calendar set working-days 'weekly SAT SUN'\n"
                     "  jobstrand calendar set germany "
                     "'zone Europe/Berlin; annual 01-01 05-01 10-03 12-25 12-26'\n"
                     "  jobstrand calendar set office --from office.txt",
         .over_network = service::Role::admin},
        set_calendar
    );
    app.add_option("name", options.name, "The calendar").type_name("NAME").required();
    app.add_option("text", options.text, "Lines, or parts between semicolons, that exclude times")
        .type_name("TEXT");
    app.add_option("--from", options.from, "The text is in a file; - for stdin").type_name("FILE");
}

void add_rm(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<CalendarRemoveOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Delete calendars that no series uses",
         .examples = "  jobstrand calendar rm working-days",
         .over_network = service::Role::admin},
        remove_calendars
    );
    app.add_option("names", options.names, "The calendars; - reads them from stdin")
        .type_name("NAME")
        .required();
}

}  // namespace

void add_calendar_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "calendar",
        "Times that series leave out",
        "  jobstrand calendar set sundays 'weekly SUN'\n"
        "  jobstrand calendar ls"
    );
    (void)add_verb<CalendarListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List calendars",
         .examples = "  jobstrand calendar ls -o json",
         .over_network = service::Role::read},
        list_calendars
    );
    const auto [app, options] = add_verb<CalendarShowOptions>(
        noun,
        action,
        {.name = "show",
         .summary = "Show a calendar",
         .examples = "  jobstrand calendar show working-days",
         .over_network = service::Role::read},
        show_calendar
    );
    app.add_option("name", options.name, "The calendar").type_name("NAME").required();
    add_set(noun, action);
    add_rm(noun, action);
}

}  // namespace jobstrand::cli
