#include "tools/jobstrand/commands/audit/audit.hpp"

#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/json/audit_json.hpp"

#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::AuditEntry;
using timers::Toward;

const std::vector<TableColumn>& audit_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "time", .heading = "WHEN"},
        {.field = "who", .heading = "WHO", .width_max = 64},
        {.field = "action", .heading = "ACTION", .width_max = 64},
        {.field = "changed", .heading = "CHANGED", .rank = 1},
        {.field = "result", .heading = "RESULT", .rank = 2},
        {.field = "reason", .heading = "REASON", .width_max = 60, .rank = 3, .width_least = 12},
        {.field = "arguments",
         .heading = "ARGUMENTS",
         .width_max = 60,
         .rank = 4,
         .width_least = 16},
        {.field = "via", .heading = "VIA", .rank = 5},
    };
    return columns;
}

[[nodiscard]] std::optional<schema::TimePoint>
moment_of(Session& session, std::string_view option, const std::optional<std::string>& text) {
    return text ? std::optional(time_of(session, option, *text, Toward::behind)) : std::nullopt;
}

}  // namespace

ExitCode list_audit(Session& session, const AuditListOptions& options) {
    const persistence::AuditFilter filter{
        .who = options.who ? not_empty("--who", *options.who) : "",
        .action = options.action ? not_empty("--action", *options.action) : "",
        .after = moment_of(session, "--since", options.since),
        .before = moment_of(session, "--until", options.until),
    };
    write_page(
        session,
        session.audit().list(filter, options.after, limit_of(session, options.limit)),
        audit_columns(),
        [](const AuditEntry& entry) { return record_of(entry); },
        [](const AuditEntry& entry) { return entry.id; }
    );
    return ExitCode::done;
}

ExitCode remove_audit(Session& session, const AuditRemoveOptions& options) {
    const schema::TimePoint before = time_of(session, "--before", options.before, Toward::behind);
    const std::int64_t removed = session.audit().forget(before);
    session.count_changes(removed);
    write_record(session.streams().out, session.format(), {number_field("removed", removed)});
    return ExitCode::done;
}

}  // namespace jobstrand::cli
