#pragma once

#include "tools/jobstrand/commands/bulk_selection.hpp"
#include "tools/jobstrand/commands/job/job_listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"

namespace jobstrand::cli {

class Command;

/// --all, --dry-run, --yes.
void add_bulk_flags(const Command& verb, BulkFlags& flags);

/// Ids, filters, --all, --dry-run, --yes.
void add_bulk_options(const Command& verb, BulkOptions& options);

/// --background, of verbs that can be batches.
void add_background_flag(const Command& verb, BulkOptions& options);

/// Filters, --limit, --after.
void add_list_options(const Command& verb, ListOptions& options);

/// --limit, --after.
void add_page_options(const Command& verb, std::string& limit, std::string& after);

/// --due, --due-in, and what they mean at this verb.
void add_due_options(
    const Command& verb,
    DueOptions& options,
    const char* date_meaning,
    const char* duration_meaning
);

/// --zone and --calendar, for what the due options do not say themselves.
void add_due_context_options(const Command& verb, DueOptions& options);

/// --zone, in which times are shown.
void add_zone_option(const Command& verb, std::string& zone);

}  // namespace jobstrand::cli
