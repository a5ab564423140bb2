#include "tools/operations/nouns.hpp"

namespace jobstrand::cli {

namespace {

using persistence::AuditEntry;
using persistence::AuditFilter;

using AuditListing = Listing<AuditFilter>;

[[nodiscard]] const Fields<AuditEntry>& entry_fields() {
    static const auto of_action = [](auto member) {
        return [member](const AuditEntry& entry) { return entry.action.*member; };
    };
    using persistence::AuditedAction;
    static const Fields<AuditEntry> all{
        {.name = "id", .value = &AuditEntry::id},
        {.name = "time",
         .value = &AuditEntry::time,
         .meaning = "When it began",
         .column = {.heading = "WHEN"},
         .place = 1},
        {.name = "who",
         .value = of_action(&AuditedAction::who),
         .meaning = "The name of a token, or of the user of a command line",
         .column = {.heading = "WHO", .width_max = 64},
         .place = 2},
        {.name = "via",
         .value = of_action(&AuditedAction::via),
         .meaning = "cli or http",
         .column = {.heading = "VIA", .rank = 5},
         .place = 8},
        {.name = "action",
         .value = of_action(&AuditedAction::action),
         .column = {.heading = "ACTION", .width_max = 64},
         .place = 3},
        {.name = "arguments",
         .value = of_action(&AuditedAction::arguments),
         .meaning = "What it was about, as it was asked for",
         .column = {.heading = "ARGUMENTS", .width_max = 60, .rank = 4, .width_least = 16},
         .place = 7,
         .is_null_if_empty = true},
        {.name = "reason",
         .value = of_action(&AuditedAction::reason),
         .column = {.heading = "REASON", .width_max = 60, .rank = 3, .width_least = 12},
         .place = 6,
         .is_null_if_empty = true},
        {.name = "result",
         .value = &AuditEntry::result,
         .meaning = "null: it is under way, or its process died before it ended",
         .column = {.heading = "RESULT", .rank = 2},
         .place = 5,
         .is_null_if_empty = true},
        {.name = "changed",
         .value = &AuditEntry::changed,
         .meaning = "How many things; null: nobody counted",
         .column = {.heading = "CHANGED", .rank = 1},
         .place = 4},
    };
    return all;
}

[[nodiscard]] Parameters<AuditListing> audit_listing() {
    return listing_parameters<AuditFilter>({
        {"--who", &AuditFilter::who, "Only of this user or token", {.unit = "NAME"}},
        {"--action", &AuditFilter::action, "Only this action, such as 'dead rm'", {.unit = "TEXT"}},
        {"--since", &AuditFilter::after, "From this time on", {.unit = "DATE"}},
        {"--until", &AuditFilter::before, "Before this time", {.unit = "DATE"}},
    });
}

[[nodiscard]] schema::Page<AuditEntry> list_audit(Session& session, const AuditListing& wanted) {
    return session.audit().list(wanted.filter, wanted.page.after, wanted.page.limit);
}

[[nodiscard]] RemovedCount remove_audit(Session& session, const RemovalBound& bound) {
    return counted(session, session.audit().forget(bound.before));
}

}  // namespace

OperationNoun audit_noun() {
    return {
        .name = "audit",
        .summary = "What people have changed: who, when, how many, why",
        .examples =
            "  jobstrand audit ls\n"
            "  jobstrand audit rm --before 2025-01-01",
        .operations =
            {
                page_operation(
                    {.words = "audit ls",
                     .summary = "List what people have changed, the latest first",
                     .examples = "  jobstrand audit ls\n"
                                 "  jobstrand audit ls --who anna --since 2d\n"
                                 "  jobstrand audit ls --action 'dead requeue' -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/audit"},
                    audit_listing(),
                    entry_fields(),
                    list_audit
                ),
                record_operation(
                    {.words = "audit rm",
                     .summary = "Forget what is older than a time; that is audited too",
                     .examples = "  jobstrand audit rm --before 2025-01-01\n"
                                 "  jobstrand audit rm --before 365d",
                     .path = "DELETE /api/v1/audit"},
                    removal_parameters(),
                    removed_fields(),
                    remove_audit
                ),
            },
    };
}

}  // namespace jobstrand::cli
