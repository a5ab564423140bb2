#include "tools/jobstrand/commands/history/incidents.hpp"

#include "deadletter/causes/cause_tally.hpp"
#include "schema/limits.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"
#include "tools/jobstrand/json/history_json.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/output/time_field.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using persistence::Incident;
using persistence::IncidentFilter;
using timers::Toward;

const std::vector<TableColumn>& incident_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "jobId", .heading = "JOB", .width_max = 36, .width_least = 14},
        {.field = "time", .heading = "SINCE"},
        {.field = "handlerType", .heading = "TYPE", .width_max = 40, .rank = 1},
        {.field = "cause", .heading = "CAUSE", .width_max = 32, .rank = 3},
        {.field = "message", .heading = "MESSAGE", .width_max = 80, .rank = 2, .width_least = 16},
        {.field = "annotation", .heading = "NOTE", .width_max = 60, .is_optional = true, .rank = 4},
        {.field = "endTime", .heading = "RESOLVED", .is_optional = true, .rank = 5},
        {.field = "resolution", .heading = "BY", .is_optional = true, .rank = 6},
    };
    return columns;
}

const std::vector<TableColumn>& group_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "group", .heading = "GROUP"},
        {.field = "incidents", .heading = "INCIDENTS"},
        {.field = "handlerType", .heading = "TYPE", .width_max = 40, .rank = 1},
        {.field = "errorClass", .heading = "ERROR", .width_max = 64, .rank = 2, .width_least = 12},
        {.field = "message", .heading = "MESSAGE", .width_max = 80, .rank = 2, .width_least = 16},
        {.field = "firstTime", .heading = "FIRST", .rank = 3},
        {.field = "lastTime", .heading = "LAST", .rank = 3},
        {.field = "exampleJobId", .heading = "EXAMPLE", .width_max = 36, .rank = 4},
    };
    return columns;
}

[[nodiscard]] Record record_of_group(const deadletter::CauseGroup& group) {
    return {
        text_field("group", group.id),
        number_field("incidents", group.jobs),
        text_or_null_field("handlerType", group.cause.handler_type),
        text_or_null_field("errorClass", group.cause.error_class),
        text_or_null_field("message", group.cause.message),
        time_field("firstTime", group.first_failed),
        time_field("lastTime", group.last_failed),
        text_field("exampleJobId", group.example),
    };
}

[[nodiscard]] deadletter::CauseSummary read_causes(Session& session, const IncidentFilter& filter) {
    deadletter::CauseTally tally;
    std::string behind;
    for (bool is_more = true; is_more;) {
        if (session.must_stop()) {
            throw CliError(ExitCode::failed, "the service stops: ask again");
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

[[nodiscard]] std::string
text_meant(std::string_view option, const std::optional<std::string>& text) {
    return text ? not_empty(option, *text) : "";
}

[[nodiscard]] std::optional<schema::TimePoint>
time_meant(Session& session, std::string_view option, const std::optional<std::string>& text) {
    return text ? std::optional(time_of(session, option, *text, Toward::behind)) : std::nullopt;
}

[[nodiscard]] IncidentFilter filter_of(Session& session, const IncidentFilterOptions& options) {
    return {
        .handler_type = text_meant("--type", options.type),
        .definition = text_meant("--definition", options.definition),
        .instance = text_meant("--instance", options.instance),
        .cause = text_meant("--cause", options.cause),
        .tenant = text_meant("--tenant", options.tenant),
        .after = time_meant(session, "--since", options.since),
        .before = time_meant(session, "--until", options.until),
    };
}

[[nodiscard]] bool is_any(const IncidentFilterOptions& options) {
    return options.type || options.definition || options.instance || options.cause ||
           options.tenant || options.since || options.until;
}

[[nodiscard]] std::string why_no_incident(const deadletter::ItemResult& item) {
    return fmt::format("job {} has no open incident", quoted_if_needed(item.id));
}

[[nodiscard]] ExitCode resolve_matching(Session& session, const IncidentResolveOptions& options) {
    const IncidentFilter filter = filter_of(session, options.filter);
    if (options.dry_run) {
        const auto page = session.history().incidents(filter, {}, kDryRunSample);
        session.tell("this would resolve these open incidents, and all others that match:");
        write_items(session, page.items, incident_columns(), [](const Incident& incident) {
            return record_of(incident);
        });
        return ExitCode::done;
    }
    confirm(
        session,
        options.yes,
        "This resolves all open incidents that match; their dead letters stay."
    );
    const auto counts = with_progress(session, "resolved", [&](const deadletter::BulkWatch& watch) {
        return session.history().resolve_all(filter, watch);
    });
    session.count_changes(counts.done);
    write_record(session.streams().out, session.format(), {number_field("resolved", counts.done)});
    return ExitCode::done;
}

[[nodiscard]] ExitCode
list_by_cause(Session& session, const IncidentFilter& filter, std::size_t limit) {
    deadletter::CauseSummary summary = read_causes(session, filter);
    const std::size_t more = summary.groups.size() - std::min(limit, summary.groups.size());
    summary.groups.resize(summary.groups.size() - more);
    write_items(session, summary.groups, group_columns(), record_of_group);
    if (more > 0) {
        session.tell(fmt::format("there are {} more causes: say --limit, or a filter", more));
    }
    if (summary.others > 0) {
        session.tell(fmt::format(
            "{} incidents are of further causes than the {} that are told apart: take a filter",
            summary.others,
            deadletter::kCausesKept
        ));
    }
    return ExitCode::done;
}

}  // namespace

ExitCode list_incidents(Session& session, const IncidentListOptions& options) {
    IncidentFilter filter = filter_of(session, options.filter);
    if (!options.each && !options.resolved && !options.job && options.after.empty()) {
        return list_by_cause(session, filter, limit_of(session, options.limit));
    }
    filter.is_open = !options.resolved;
    filter.job = options.job ? job_id(session, not_empty("--job", *options.job)) : "";
    write_page(
        session,
        session.history().incidents(filter, options.after, limit_of(session, options.limit)),
        incident_columns(),
        [](const Incident& incident) { return record_of(incident); },
        [&](const Incident& incident) { return options.resolved ? incident.id : incident.job; }
    );
    return ExitCode::done;
}

ExitCode show_incidents(Session& session, const IncidentShowOptions& options) {
    const std::string job = job_id(session, options.job);
    const std::vector<Incident> incidents = session.history().incidents_of(job);
    if (incidents.empty()) {
        throw CliError(
            ExitCode::not_found, fmt::format("job {} had no incident", quoted_if_needed(job))
        );
    }
    write_items(session, incidents, incident_columns(), [](const Incident& incident) {
        return record_of(incident);
    });
    return ExitCode::done;
}

ExitCode annotate_incidents(Session& session, const IncidentNoteOptions& options) {
    ItemReport report(session, {.done = "annotated", .field = "jobId", .why_not = why_no_incident});
    session.history().annotate(job_ids(session, options.jobs), options.text, report.watch());
    return report.finish();
}

ExitCode resolve_incidents(Session& session, const IncidentResolveOptions& options) {
    require_one_way(
        {!options.jobs.empty(), is_any(options.filter), options.all},
        "say which incidents: ids of jobs, a filter, or --all",
        "ids of jobs, filters and --all exclude each other"
    );
    if (options.jobs.empty()) {
        return resolve_matching(session, options);
    }
    if (options.dry_run) {
        throw CliError(
            ExitCode::wrong_usage, "--dry-run goes with filters and --all, not with ids"
        );
    }
    ItemReport report(session, {.done = "resolved", .field = "jobId", .why_not = why_no_incident});
    session.history().resolve(job_ids(session, options.jobs), report.watch());
    return report.finish();
}

}  // namespace jobstrand::cli
