#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/commands/series/series_changes.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"
#include "tools/jobstrand/commands/series/series_rescheduling.hpp"

namespace jobstrand::cli {

namespace {

using deadletter::SeriesChange;

void add_ls(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<SeriesListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List series, in the order of their keys",
         .examples = "  jobstrand series ls\n"
                     "  jobstrand series ls --group reports --state paused -o name\n"
                     "  jobstrand series ls --zone Europe/Berlin -o csv",
         .over_network = service::Role::read},
        list_series
    );
    app.add_option("--group", options.group, "Only those of a group").type_name("NAME");
    app.add_option("--state", options.state, "waiting, running, paused or ended")
        .type_name("STATE");
    add_zone_option(app, options.zone);
    add_page_options(app, options.limit, options.after);
}

void add_show(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<SeriesShowOptions>(
        noun,
        action,
        {.name = "show",
         .summary = "Show a series with all its fields",
         .examples = "  jobstrand series show nightly -o json",
         .over_network = service::Role::read},
        show_series
    );
    app.add_option("key", options.key, "The series; - reads them from stdin")
        .type_name("KEY")
        .required();
    add_zone_option(app, options.zone);
}

void add_bulk(const Command& noun, Action& action, const VerbText& text, SeriesChange change) {
    const auto [app, options] = add_verb<SeriesBulkOptions>(noun, action, text, change_series);
    options.change = change;
    app.add_option("keys", options.keys, "The series").type_name("KEY");
    app.add_option("--group", options.group, "All series that are in a group now")
        .type_name("NAME");
    add_bulk_flags(app, options);
}

void add_reschedule(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<SeriesRescheduleOptions>(
        noun,
        action,
        {.name = "reschedule",
         .summary = "Give a series another repeat, under which it begins anew",
         .examples = "  jobstrand series reschedule nightly --repeat '0 30 3 * * ?'\n"
                     "  jobstrand series reschedule poll --repeat R/PT5M --misfire none",
         .over_network = service::Role::admin},
        reschedule_series
    );
    app.add_option("key", options.key, "The series").type_name("KEY").required();
    app.add_option("--repeat", options.times.repeat, "R/PT10M, '0 0 12 ? * MON-FRI', ...")
        .type_name("TEXT");
    add_series_times_options(app, options.times);
    app.add_flag("--no-calendar", options.no_calendar, "Nothing is left out any more");
}

}  // namespace

void add_series_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "series",
        "Jobs that repeat; `job add --repeat` begins one, KEY names it",
        "  jobstrand job add --type log --series hourly --repeat R/PT1H\n"
        "  jobstrand series ls\n"
        "  jobstrand series pause hourly"
    );
    add_ls(noun, action);
    add_show(noun, action);
    add_bulk(
        noun,
        action,
        {.name = "pause",
         .summary = "Keep the turns of series waiting until they are resumed",
         .examples = "  jobstrand series pause nightly\n"
                     "  jobstrand series pause --group reports --dry-run",
         .over_network = service::Role::admin},
        SeriesChange::pause
    );
    add_bulk(
        noun,
        action,
        {.name = "resume",
         .summary = "Let paused series go on; missed turns are up to their misfire instruction",
         .examples = "  jobstrand series resume nightly",
         .over_network = service::Role::admin},
        SeriesChange::resume
    );
    add_reschedule(noun, action);
    add_bulk(
        noun,
        action,
        {.name = "fire",
         .summary = "Run an extra job of each series now; the series itself goes on as it was",
         .examples = "  jobstrand series fire nightly -o json",
         .over_network = service::Role::admin},
        SeriesChange::fire
    );
    add_bulk(
        noun,
        action,
        {.name = "end",
         .summary = "Take no further turn; what runs may finish",
         .examples = "  jobstrand series end nightly\n"
                     "  jobstrand series end --group reports --yes",
         .over_network = service::Role::admin},
        SeriesChange::end
    );
    add_bulk(
        noun,
        action,
        {.name = "rm",
         .summary = "Forget series that have ended",
         .examples = "  jobstrand series rm nightly\n"
                     "  jobstrand series rm --all --yes",
         .over_network = service::Role::admin},
        SeriesChange::remove
    );
}

}  // namespace jobstrand::cli
