#include "tools/jobstrand/commands/bulk_options.hpp"

#include "tools/jobstrand/commands/command_line.hpp"

namespace jobstrand::cli {

void add_bulk_flags(const Command& verb, BulkFlags& flags) {
    verb.add_flag("--all", flags.all, "All of them");
    verb.add_flag("--dry-run", flags.dry_run, "Show what would be changed, and change nothing");
    verb.add_flag("-y,--yes", flags.yes, "Do not ask");
}

void add_bulk_options(const Command& verb, BulkOptions& options) {
    verb.add_option("ids", options.ids, "The jobs; - reads them from stdin").type_name("ID");
    add_bulk_flags(verb, options);
    add_job_filter_options(verb, options.filter);
}

void add_background_flag(const Command& verb, BulkOptions& options) {
    verb.add_flag(
        "--background", options.in_background, "A node of the service does it: see `batch`"
    );
}

void add_list_options(const Command& verb, ListOptions& options) {
    add_page_options(verb, options.limit, options.after);
    add_job_filter_options(verb, options.filter);
}

void add_page_options(const Command& verb, std::string& limit, std::string& after) {
    verb.add_option("--limit", limit, "Show at most so many (default 100)").type_name("N");
    verb.add_option("--after", after, "Go on behind this one").type_name("ID");
}

void add_due_options(
    const Command& verb,
    DueOptions& options,
    const char* date_meaning,
    const char* duration_meaning
) {
    verb.add_option("--due", options.date, date_meaning).type_name("TIME");
    verb.add_option("--due-in", options.duration, duration_meaning).type_name("DURATION");
}

void add_due_context_options(const Command& verb, DueOptions& options) {
    verb.add_option(
            "--zone", options.zone, "Whose wall clock the due date is on, by IANA name [UTC]"
    )
        .type_name("ZONE");
    verb.add_option("--calendar", options.calendar, "Which business days count [Monday to Friday]")
        .type_name("NAME");
}

void add_zone_option(const Command& verb, std::string& zone) {
    verb.add_option("--zone", zone, "The zone in which times are shown, by IANA name [UTC]")
        .type_name("ZONE");
}

}  // namespace jobstrand::cli
