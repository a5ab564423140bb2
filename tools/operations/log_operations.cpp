#include "tools/operations/nouns.hpp"
#include "tools/records/runs_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace jobstrand::cli {

namespace {

using LogListing = Listing<JobLogQuery>;

[[nodiscard]] const Fields<JobLogLine>& whole_line_fields() {
    static const Fields<JobLogLine> all = joined(
        log_line_fields(),
        {{.name = "exceptionDetails",
          .value = &JobLogLine::details,
          .meaning = "The end of its stack trace or output",
          .is_null_if_empty = true}}
    );
    return all;
}

void read_events(JobLogQuery& filter, const std::string& text, const ParameterReading& reading) {
    for (const auto part : std::views::split(text, ',')) {
        const std::string name(part.begin(), part.end());
        const auto event = schema::job_event_of(name);
        if (!event) {
            std::vector<std::string_view> known;
            std::ranges::transform(
                schema::kJobEvents,
                std::back_inserter(known),
                [](schema::JobEvent one) { return schema::name_of(one); }
            );
            refuse_parameter(
                reading,
                fmt::format(
                    " must be one of {}, not {}", fmt::join(known, ", "), quoted_if_needed(name)
                )
            );
        }
        filter.events.push_back(*event);
    }
}

[[nodiscard]] Parameters<LogListing> log_listing() {
    return listing_parameters<JobLogQuery>({
        {"--job", &JobLogQuery::job, "Only of this job", {.unit = "ID"}},
        {"--type,--handler",
         &JobLogQuery::handler_type,
         "Only of this handler type",
         {.unit = "TEXT"}},
        {"--definition",
         &JobLogQuery::process_definition_id,
         "Only of this definition",
         {.unit = "ID"}},
        {"--instance", &JobLogQuery::process_instance_id, "Only of this instance", {.unit = "ID"}},
        {"--element", &JobLogQuery::element_id, "Only of this element", {.unit = "ID"}},
        {"--tenant", &JobLogQuery::tenant_id, "Only of this tenant", {.unit = "TEXT"}},
        {"--node", &JobLogQuery::node, "Only by this lock owner", {.unit = "NAME"}},
        {"--event",
         read_events,
         "Only these, several with commas: created, failed, succeeded, deleted, dead, requeued",
         {.unit = "EVENTS"}},
        {"--why",
         &JobLogQuery::reason,
         "Only for this reason, such as retries_exhausted",
         {.unit = "WORD"}},
        {"--since", &JobLogQuery::from, "From this time on", {.unit = "DATE"}},
        {"--until", &JobLogQuery::before, "Before this time", {.unit = "DATE"}},
    });
}

[[nodiscard]] schema::Page<JobLogLine> list_log(Session& session, const LogListing& wanted) {
    return session.history().log(wanted.filter, wanted.page.after, wanted.page.limit);
}

[[nodiscard]] JobLogLine show_line(Session& session, const NamedThing& wanted) {
    auto line = session.history().find_line(wanted.name);
    if (!line) {
        throw NotFound("the log has no line {}", quoted_if_needed(wanted.name));
    }
    return *std::move(line);
}

[[nodiscard]] RemovedCount remove_lines(Session& session, const RemovalBound& bound) {
    return counted(session, session.history().forget_log(bound.before));
}

}  // namespace

OperationNoun log_noun() {
    return {
        .name = "log",
        .summary =
            "What happened to jobs: each attempt that failed, deaths, removals; successes "
            "too if asked",
        .examples =
            "  jobstrand log ls --since 1h\n"
            "  jobstrand log rm --before 30d",
        .operations =
            {
                page_operation(
                    {.words = "log ls",
                     .summary = "List what happened to jobs, the latest first",
                     .examples = "  jobstrand log ls --since 1h\n"
                                 "  jobstrand log ls --job 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                                 "  jobstrand log ls --type send-invoice --event failed -o jsonl",
                     .role = service::Role::read,
                     .path = "GET /api/v1/log"},
                    log_listing(),
                    log_line_fields(),
                    list_log
                ),
                record_operation(
                    {.words = "log show",
                     .summary = "Show a line with the end of its stack trace or output",
                     .examples = "  jobstrand log show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .role = service::Role::read,
                     .path = "GET /api/v1/log/{line}"},
                    one_name("id", "The line, as `log ls -o json` shows it"),
                    whole_line_fields(),
                    show_line
                ),
                record_operation(
                    {.words = "log rm",
                     .summary = "Forget what is older than a time",
                     .examples = "  jobstrand log rm --before 2025-01-01\n"
                                 "  jobstrand log rm --before 30d",
                     .path = "DELETE /api/v1/log"},
                    removal_parameters(),
                    removed_fields(),
                    remove_lines
                ),
            },
    };
}

}  // namespace jobstrand::cli
