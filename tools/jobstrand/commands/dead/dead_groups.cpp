#include "tools/jobstrand/commands/dead/dead_groups.hpp"

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/output/progress.hpp"
#include "tools/jobstrand/output/time_field.hpp"

#include <fmt/format.h>

#include <ranges>

namespace jobstrand::cli {

namespace {

using deadletter::CauseGroup;
using deadletter::CauseSummary;

const std::vector<TableColumn>& group_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "group", .heading = "GROUP"},
        {.field = "jobs", .heading = "JOBS"},
        {.field = "handlerType", .heading = "TYPE", .rank = 1},
        {.field = "errorClass", .heading = "ERROR", .width_max = 64, .rank = 2, .width_least = 12},
        {.field = "message",
         .heading = "MESSAGE",
         .width_max = 80,
         .rank = 2,
         .width_least = 16,
         .tone = Tone::bad},
        {.field = "lastFailedTime", .heading = "LAST", .rank = 3},
        {.field = "firstFailedTime", .heading = "FIRST", .rank = 4},
        {.field = "exampleId", .heading = "EXAMPLE", .width_max = 64, .is_job_id = true, .rank = 5},
    };
    return columns;
}

[[nodiscard]] Record record_of_group(const CauseGroup& group) {
    return {
        text_field("group", group.id),
        number_field("jobs", group.jobs),
        text_or_null_field("handlerType", group.cause.handler_type),
        text_or_null_field("errorClass", group.cause.error_class),
        text_or_null_field("message", group.cause.message),
        time_field("firstFailedTime", group.first_failed),
        time_field("lastFailedTime", group.last_failed),
        text_field("exampleId", group.example),
    };
}

[[nodiscard]] CauseSummary read_causes(Session& session, const GroupsOptions& options) {
    Progress progress(session.streams(), session.clock(), "read");
    return session.dead_letters().causes(
        filter_of(session, options.filter),
        {.on_page =
             [&](const deadletter::BulkCounts& counts) {
                 progress.show(counts.done, counts.total);
                 if (session.must_stop()) {
                     throw CliError(ExitCode::failed, "the service stops: ask again");
                 }
                 return true;
             }}
    );
}

}  // namespace

ExitCode list_causes(Session& session, const GroupsOptions& options) {
    const std::size_t limit = limit_of(session, options.limit);
    const CauseSummary summary = read_causes(session, options);
    OutputStyle style = session.style();
    if (style.columns) {
        style.now = session.database_now();
    }
    RecordWriter writer(session.streams().out, session.format(), group_columns(), style);
    for (const CauseGroup& group : summary.groups | std::views::take(limit)) {
        writer.add(record_of_group(group));
    }
    writer.finish();
    if (summary.groups.size() > limit) {
        session.tell(fmt::format(
            "there are {} more groups: say --limit, or a filter", summary.groups.size() - limit
        ));
    }
    if (summary.others > 0) {
        session.tell(fmt::format(
            "{} dead letters are of further causes than the {} that are told apart: take a filter",
            summary.others,
            deadletter::kCausesKept
        ));
    }
    return ExitCode::done;
}

}  // namespace jobstrand::cli
