#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/job/job_removal.hpp"
#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/commands/timer/timer_changes.hpp"
#include "tools/jobstrand/commands/timer/timer_listing.hpp"
#include "tools/jobstrand/commands/timer/timer_next.hpp"

namespace jobstrand::cli {

namespace {

void add_ls(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<TimerListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List timers, oldest first, with what their series say",
         .examples = "  jobstrand timer ls --due-before 2026-11-21\n"
                     "  jobstrand timer ls --group reports --state all --zone Europe/Berlin",
         .over_network = service::Role::read,
         .honours_scope = true},
        list_timers
    );
    app.add_option("--group", options.group, "Only turns that carry on a series of this group")
        .type_name("NAME");
    app.add_option("--state", options.state, "waiting (default), paused, or all")
        .type_name("STATE");
    add_zone_option(app, options.zone);
    add_list_options(app, options.list);
}

void add_show(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<TimerShowOptions>(
        noun,
        action,
        {.name = "show",
         .summary = "Show a timer with all its fields, and those of its series",
         .examples = "  jobstrand timer show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 -o json",
         .over_network = service::Role::read,
         .honours_scope = true},
        show_timer
    );
    app.add_option("id", options.id, "The timer").required();
    add_zone_option(app, options.zone);
}

void add_fire(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<FireOptions>(
        noun,
        action,
        {.name = "fire",
         .summary = "Let timers run now, whatever their due date",
         .examples = "  jobstrand timer fire 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .over_network = service::Role::admin,
         .honours_scope = true},
        fire_timers
    );
    app.add_option("ids", options.ids, "The timers; - reads them from stdin")
        .type_name("ID")
        .required();
}

void add_reschedule(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<RescheduleOptions>(
        noun,
        action,
        {.name = "reschedule",
         .summary = "Give timers another due date",
         .examples = "  jobstrand timer reschedule 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 "
                     "--due 2026-12-24T18:00:00+01:00\n"
                     "  jobstrand timer reschedule 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 "
                     "--due 'tomorrow 09:00' --zone Europe/Berlin",
         .over_network = service::Role::admin,
         .honours_scope = true},
        reschedule_timers
    );
    app.add_option("ids", options.ids, "The timers; - reads them from stdin")
        .type_name("ID")
        .required();
    add_due_options(app, options.due, "The new due date, or any timer text", "The time from now");
    add_due_context_options(app, options.due);
}

void add_rm(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<RemoveOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Delete timers for good",
         .examples = "  jobstrand timer rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                     "  jobstrand timer rm --type reminder --dry-run",
         .over_network = service::Role::admin},
        remove_jobs
    );
    options.place = "timer";
    add_bulk_options(app, options.bulk);
}

void add_next(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<NextOptions>(
        noun,
        action,
        {.name = "next",
         .summary = "Tell when a timer with a given text would fire (no database needed)",
         .examples = "  jobstrand timer next '0 30 2 * * ?' --zone Europe/Berlin\n"
                     "  jobstrand timer next 'R3/PT10H' --after 2026-11-20T10:00:00Z -o json\n"
                     "  jobstrand timer next '3 business days'",
         .over_network = service::Role::read},
        show_next_times
    );
    app.add_option(
           "expression",
           options.expression,
           "A cron text (Quartz, Unix, @daily), an ISO 8601 date, duration or cycle, times of each "
           "day "
           "(every 45m from 09:00 to 17:00), a number of business days, or a time as people say it "
           "(5m, tomorrow 09:00)"
    )
        .type_name("EXPR")
        .required();
    app.add_option("--zone", options.zone, "The time zone, by IANA name [UTC]");
    app.add_option("--after", options.after, "The date after which times are asked for [now]")
        .type_name("DATE");
    app.add_option("--count", options.count, "How many times at most [5]").type_name("N");
    app.add_option(
           "--dst",
           options.dst,
           "What a cron text means when clocks change: quartz (a time that is left out is not run, "
           "one that comes twice is run the second time) or run-once [quartz]"
    )
        .type_name("RULE");
}

}  // namespace

void add_timer_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "timer",
        "Jobs with a due date, and waits before a retry",
        "  jobstrand timer ls\n"
        "  jobstrand timer fire 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
        "  jobstrand timer next '0 30 2 ? * MON-FRI' --zone Europe/Berlin"
    );
    add_ls(noun, action);
    add_show(noun, action);
    add_fire(noun, action);
    add_reschedule(noun, action);
    add_rm(noun, action);
    add_next(noun, action);
}

}  // namespace jobstrand::cli
