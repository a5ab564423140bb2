#include "deadletter/failure_cause.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using deadletter::CauseGroup;

struct IncidentListing {
    IncidentQuery filter;
    bool each = false;
    bool resolved = false;
    PageRequest page;
};

struct IncidentJob {
    std::string job;
};

struct IncidentNote {
    std::vector<std::string> jobs;
    std::string note;
};

struct IncidentResolving {
    std::optional<std::vector<std::string>> jobs;
    IncidentQuery filter;
    BulkFlags bulk;
};

[[nodiscard]] const Fields<Incident>& incident_fields() {
    static const Fields<Incident> all{
        {.name = "jobId",
         .value = &Incident::job,
         .column = {.heading = "JOB", .width_max = 36, .width_least = 14}},
        {.name = "id", .value = &Incident::id},
        {.name = "time", .value = &Incident::time, .column = {.heading = "SINCE"}},
        {.name = "type", .value = &Incident::type},
        {.name = "cause",
         .value = &Incident::cause,
         .column = {.heading = "CAUSE", .width_max = 32, .rank = 3},
         .place = 2,
         .is_null_if_empty = true},
        {.name = "message",
         .value = &Incident::message,
         .column = {.heading = "MESSAGE", .width_max = 80, .rank = 2, .width_least = 16},
         .place = 3,
         .is_null_if_empty = true},
        {.name = "handlerType",
         .value = &Incident::handler_type,
         .column = {.heading = "TYPE", .width_max = 40, .rank = 1},
         .place = 1,
         .is_null_if_empty = true},
        {.name = "processInstanceId",
         .value = &Incident::process_instance_id,
         .is_null_if_empty = true},
        {.name = "rootProcessInstanceId",
         .value = &Incident::root_process_instance_id,
         .is_null_if_empty = true},
        {.name = "callingInstances",
         .value = &Incident::calling_instances,
         .meaning = "What called the instance of the job, down to its own caller"},
        {.name = "causeIncidentId",
         .value = &Incident::cause_id,
         .meaning = "The incident one call deeper; of the job's own instance: its own"},
        {.name = "causeIncidentProcessInstanceId",
         .value = &Incident::cause_instance,
         .meaning = "Only of a calling instance",
         .is_null_if_empty = true},
        {.name = "rootCauseIncidentId",
         .value = &Incident::root_cause_id,
         .meaning = "That of the job's own instance"},
        {.name = "rootCauseIncidentProcessInstanceId",
         .value = &Incident::root_cause_instance,
         .meaning = "Only of a calling instance",
         .column = {.heading = "CAUSE IN", .width_max = 36, .is_optional = true, .rank = 7},
         .place = 7,
         .is_null_if_empty = true},
        {.name = "processDefinitionId",
         .value = &Incident::process_definition_id,
         .is_null_if_empty = true},
        {.name = "jobDefinitionId",
         .value = &Incident::job_definition_id,
         .is_null_if_empty = true},
        {.name = "executionId", .value = &Incident::execution_id, .is_null_if_empty = true},
        {.name = "elementId", .value = &Incident::element_id, .is_null_if_empty = true},
        {.name = "tenantId", .value = &Incident::tenant_id, .is_null_if_empty = true},
        {.name = "node", .value = &Incident::node, .is_null_if_empty = true},
        {.name = "annotation",
         .value = &Incident::annotation,
         .meaning = "What an operator has noted",
         .column = {.heading = "NOTE", .width_max = 60, .is_optional = true, .rank = 4},
         .place = 4,
         .is_null_if_empty = true},
        {.name = "endTime",
         .value = &Incident::end,
         .column = {.heading = "RESOLVED", .is_optional = true, .rank = 5},
         .place = 5},
        {.name = "resolution",
         .value = &Incident::resolution,
         .column = {.heading = "BY", .is_optional = true, .rank = 6},
         .place = 6,
         .is_null_if_empty = true},
    };
    return all;
}

[[nodiscard]] const Fields<CauseGroup>& group_fields() {
    static const auto of_cause = [](auto member) {
        return [member](const CauseGroup& group) { return group.cause.*member; };
    };
    using deadletter::FailureCause;
    static const Fields<CauseGroup> all{
        {.name = "group", .value = &CauseGroup::id, .column = {.heading = "GROUP"}},
        {.name = "incidents", .value = &CauseGroup::jobs, .column = {.heading = "INCIDENTS"}},
        {.name = "handlerType",
         .value = of_cause(&FailureCause::handler_type),
         .column = {.heading = "TYPE", .width_max = 40, .rank = 1},
         .is_null_if_empty = true},
        {.name = "errorClass",
         .value = of_cause(&FailureCause::error_class),
         .column = {.heading = "ERROR", .width_max = 64, .rank = 2, .width_least = 12},
         .is_null_if_empty = true},
        {.name = "message",
         .value = of_cause(&FailureCause::message),
         .column = {.heading = "MESSAGE", .width_max = 80, .rank = 2, .width_least = 16},
         .is_null_if_empty = true},
        {.name = "firstTime",
         .value = &CauseGroup::first_failed,
         .column = {.heading = "FIRST", .rank = 3}},
        {.name = "lastTime",
         .value = &CauseGroup::last_failed,
         .column = {.heading = "LAST", .rank = 3}},
        {.name = "exampleJobId",
         .value = &CauseGroup::example,
         .column = {.heading = "EXAMPLE", .width_max = 36, .rank = 4}},
    };
    return all;
}

[[nodiscard]] Parameters<IncidentQuery> filter_parameters() {
    return {
        {"--type,--handler",
         &IncidentQuery::handler_type,
         "Of jobs of this handler type",
         {.unit = "TEXT"}},
        {"--definition",
         &IncidentQuery::process_definition_id,
         "Of this definition",
         {.unit = "ID"}},
        {"--instance",
         &IncidentQuery::process_instance_id,
         "Of this instance, also where it calls",
         {.unit = "ID"}},
        {"--root-instance",
         &IncidentQuery::root_process_instance_id,
         "Of all instances that are called in this one",
         {.unit = "ID"}},
        {"--cause",
         &IncidentQuery::cause,
         "For this reason, such as retries_exhausted",
         {.unit = "WORD"}},
        {"--tenant", &IncidentQuery::tenant_id, "Of this tenant", {.unit = "TEXT"}},
        {"--since", &IncidentQuery::from, "Begun at this time or later", {.unit = "DATE"}},
        {"--until", &IncidentQuery::before, "Begun before this time", {.unit = "DATE"}},
    };
}

[[nodiscard]] Parameters<IncidentListing> incident_listing() {
    const Parameters<IncidentQuery> job{
        {"--job", &IncidentQuery::job, "Of this job", {.unit = "ID", .is_job = true}}};
    return joined(
        Parameters<IncidentListing>{
            {"--each", &IncidentListing::each, "Each by itself, by job, and not by cause"},
            {"--resolved", &IncidentListing::resolved, "Those that are over, the latest first"}},
        of_part(joined(job, filter_parameters()), &IncidentListing::filter),
        of_part(page_parameters(), &IncidentListing::page)
    );
}

[[nodiscard]] Parameters<IncidentResolving> resolve_parameters() {
    return joined(
        Parameters<IncidentResolving>{
            {"jobs",
             &IncidentResolving::jobs,
             "Their jobs; - for a list on stdin",
             {.is_job = true}}},
        of_part(filter_parameters(), &IncidentResolving::filter),
        of_part(bulk_parameters(), &IncidentResolving::bulk)
    );
}

[[nodiscard]] deadletter::CauseSummary read_causes(Session& session, const IncidentQuery& filter) {
    deadletter::CauseTally tally;
    std::string behind;
    for (bool is_more = true; is_more;) {
        if (session.must_stop()) {
            throw Failed("the service stops: ask again");
        }
        const auto page =
            session.history().incidents(filter, behind, schema::limits::kJobsPerTransaction);
        for (const Incident& incident : page.items) {
            tally.add(
                {.id = incident.job,
                 .handler_type = incident.handler_type,
                 .message = incident.message,
                 .failed_time = incident.time}
            );
        }
        is_more = page.has_more;
        behind = page.items.empty() ? "" : page.items.back().job;
    }
    return tally.take();
}

[[nodiscard]] ExitCode
list_by_cause(Session& session, const IncidentQuery& filter, std::size_t limit) {
    deadletter::CauseSummary summary = read_causes(session, filter);
    const std::size_t more = summary.groups.size() - std::min(limit, summary.groups.size());
    summary.groups.resize(summary.groups.size() - more);
    write_list(session, group_fields(), summary.groups);
    if (more > 0) {
        session.tell("there are {} more causes: say --limit, or a filter", more);
    }
    if (summary.others > 0) {
        session.tell(
            "{} incidents are of further causes than the {} that are told apart: take a filter",
            summary.others,
            deadletter::kCausesKept
        );
    }
    return ExitCode::done;
}

[[nodiscard]] ExitCode list_incidents(Session& session, const IncidentListing& wanted) {
    IncidentQuery filter = wanted.filter;
    if (!wanted.each && !wanted.resolved && filter.job.empty() && wanted.page.after.empty()) {
        return list_by_cause(session, filter, wanted.page.limit);
    }
    filter.is_open = !wanted.resolved;
    const auto page = session.history().incidents(filter, wanted.page.after, wanted.page.limit);
    write_list(session, incident_fields(), page.items);
    if (page.has_more) {
        const Incident& last = page.items.back();
        print_more(session, wanted.resolved ? last.id : last.job);
    }
    return ExitCode::done;
}

[[nodiscard]] std::vector<Incident> show_incidents(Session& session, const IncidentJob& wanted) {
    std::vector<Incident> incidents = session.history().incidents_of(wanted.job);
    if (incidents.empty()) {
        throw NotFound("job {} had no incident", quoted_if_needed(wanted.job));
    }
    return incidents;
}

void annotate_incidents(
    Session& session,
    const IncidentNote& note,
    const deadletter::BulkWatch& watch
) {
    session.history().annotate(note.jobs, note.note, watch);
}

[[nodiscard]] std::string why_no_incident(const deadletter::ItemResult& item) {
    return fmt::format("job {} has no open incident", quoted_if_needed(item.id));
}

[[nodiscard]] ExitCode resolve_matching(Session& session, const IncidentResolving& wanted) {
    if (wanted.bulk.dry_run) {
        const auto page = session.history().incidents(wanted.filter, {}, kDryRunSample);
        session.tell("this would resolve these open incidents, and all others that match:");
        write_list(session, incident_fields(), page.items);
        return ExitCode::done;
    }
    confirm(
        session,
        wanted.bulk.yes,
        "This resolves all open incidents that match; their dead letters stay."
    );
    const auto counts = with_progress(session, "resolved", [&](const deadletter::BulkWatch& watch) {
        return session.history().resolve_all(wanted.filter, watch);
    });
    session.count_changes(counts.done);
    write_result(session, {number_field("resolved", counts.done)});
    return ExitCode::done;
}

[[nodiscard]] ExitCode resolve_incidents(Session& session, const IncidentResolving& wanted) {
    require_one_way(
        {wanted.jobs.has_value(), wanted.filter != IncidentQuery{}, wanted.bulk.all},
        "say which incidents: ids of jobs, a filter, or --all",
        "ids of jobs, filters and --all exclude each other"
    );
    if (!wanted.jobs) {
        return resolve_matching(session, wanted);
    }
    if (wanted.bulk.dry_run) {
        throw WrongUsage("--dry-run goes with filters and --all, not with ids");
    }
    ItemReport report(session, {.done = "resolved", .field = "jobId", .why_not = why_no_incident});
    session.history().resolve(*wanted.jobs, report.watch());
    return report.finish();
}

[[nodiscard]] Parameters<IncidentNote> note_parameters() {
    return {
        {"jobs",
         &IncidentNote::jobs,
         "Their jobs; - for a list on stdin",
         {.is_required = true, .is_job = true}},
        {"--note",
         &IncidentNote::note,
         "The note; an empty one takes it away",
         {.unit = "TEXT", .is_required = true, .may_be_empty = true}},
    };
}

}  // namespace

OperationNoun incident_noun() {
    return {
        .name = "incident",
        .summary =
            "Dead letters that have to be looked at: since when, why, what was noted, how "
            "it ended",
        .examples =
            "  jobstrand incident ls\n"
            "  jobstrand incident annotate 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --note "
            "'known'",
        .operations =
            {
                writing_operation(
                    {.words = "incident ls",
                     .summary =
                         "List what open incidents are about, or each of them; resolved ones",
                     .examples = "  jobstrand incident ls\n"
                                 "  jobstrand incident ls --each --since 1h\n"
                                 "  jobstrand incident ls --resolved --since 7d\n"
                                 "  jobstrand incident ls --type send-invoice -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/incidents"},
                    incident_listing(),
                    {.kind = DescribedResult::Kind::page,
                     .fields = described(group_fields()),
                     .other_fields = described(incident_fields())},
                    list_incidents
                ),
                list_operation<IncidentJob>(
                    {.words = "incident show",
                     .summary = "Show the incidents of a job, the open one first",
                     .examples = "  jobstrand incident show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .role = service::Role::read,
                     .path = "GET /api/v1/incidents/{job}"},
                    {{"job",
                      &IncidentJob::job,
                      "The job",
                      {.is_required = true, .may_be_empty = true, .is_job = true}}},
                    incident_fields(),
                    show_incidents
                ),
                items_operation(
                    {.words = "incident annotate",
                     .summary = "Note something about open incidents",
                     .examples =
                         "  jobstrand incident annotate 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 "
                         "--note 'anna calls the bank'",
                     .path = "PUT /api/v1/incidents/{job}/note"},
                    note_parameters(),
                    {.done = "annotated", .field = "jobId", .why_not = why_no_incident},
                    annotate_incidents
                ),
                writing_operation(
                    {.words = "incident resolve",
                     .summary = "Resolve open incidents by hand; their dead letters stay",
                     .examples =
                         "  jobstrand incident resolve 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                         "  jobstrand incident resolve --until 30d --yes",
                     .path = "POST /api/v1/incidents/resolve"},
                    resolve_parameters(),
                    {.kind = DescribedResult::Kind::items,
                     .fields = described_items("jobId").fields,
                     .of_all = {{"resolved", "How many", {.name = "integer"}}}},
                    resolve_incidents
                ),
            },
    };
}

}  // namespace jobstrand::cli
