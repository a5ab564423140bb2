#include "tools/jobstrand/commands/history/job_log.hpp"

#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"
#include "tools/jobstrand/json/history_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace jobstrand::cli {

namespace {

using persistence::JobLogFilter;
using persistence::JobLogLine;
using timers::Toward;

const std::vector<TableColumn>& log_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "time", .heading = "WHEN"},
        {.field = "event", .heading = "EVENT"},
        {.field = "reason", .heading = "REASON", .width_max = 32, .rank = 3},
        {.field = "jobId", .heading = "JOB", .width_max = 36, .width_least = 14},
        {.field = "handlerType", .heading = "TYPE", .width_max = 40, .rank = 1, .width_least = 10},
        {.field = "attempt", .heading = "ATTEMPT", .rank = 2},
        {.field = "durationMs", .heading = "MS", .rank = 5},
        {.field = "exceptionMessage",
         .heading = "MESSAGE",
         .width_max = 80,
         .rank = 1,
         .width_least = 32},
        {.field = "node", .heading = "NODE", .width_max = 40, .rank = 6, .width_least = 8},
    };
    return columns;
}

[[nodiscard]] std::string
text_typed(std::string_view option, const std::optional<std::string>& text) {
    return text ? not_empty(option, *text) : "";
}

[[nodiscard]] std::vector<schema::JobEvent> events_of(const std::optional<std::string>& names) {
    std::vector<schema::JobEvent> events;
    if (!names) {
        return events;
    }
    for (const auto part : std::views::split(*names, ',')) {
        const std::string name(part.begin(), part.end());
        const auto event = schema::job_event_of(name);
        if (!event) {
            std::vector<std::string_view> known;
            std::ranges::transform(
                schema::kJobEvents,
                std::back_inserter(known),
                [](schema::JobEvent one) { return schema::name_of(one); }
            );
            throw CliError(
                ExitCode::wrong_usage,
                fmt::format(
                    "--event must be one of {}, not {}",
                    fmt::join(known, ", "),
                    quoted_if_needed(name)
                )
            );
        }
        events.push_back(*event);
    }
    return events;
}

[[nodiscard]] std::optional<schema::TimePoint>
time_typed(Session& session, std::string_view option, const std::optional<std::string>& text) {
    return text ? std::optional(time_of(session, option, *text, Toward::behind)) : std::nullopt;
}

}  // namespace

ExitCode list_log(Session& session, const LogListOptions& options) {
    const JobLogFilter filter{
        .job = text_typed("--job", options.job),
        .handler_type = text_typed("--type", options.type),
        .definition = text_typed("--definition", options.definition),
        .instance = text_typed("--instance", options.instance),
        .element = text_typed("--element", options.element),
        .tenant = text_typed("--tenant", options.tenant),
        .node = text_typed("--node", options.node),
        .reason = text_typed("--why", options.reason),
        .events = events_of(options.events),
        .after = time_typed(session, "--since", options.since),
        .before = time_typed(session, "--until", options.until),
    };
    write_page(
        session,
        session.history().log(filter, options.after, limit_of(session, options.limit)),
        log_columns(),
        [](const JobLogLine& line) { return record_of(line); },
        [](const JobLogLine& line) { return line.id; }
    );
    return ExitCode::done;
}

ExitCode show_log_line(Session& session, const LogShowOptions& options) {
    const auto line = session.history().find_line(options.id);
    if (!line) {
        throw CliError(
            ExitCode::not_found, fmt::format("the log has no line {}", quoted_if_needed(options.id))
        );
    }
    Record record = record_of(*line);
    record.push_back(text_or_null_field("exceptionDetails", line->details));
    write_record(session.streams().out, session.format(), record, session.style());
    return ExitCode::done;
}

ExitCode remove_log(Session& session, const LogRemoveOptions& options) {
    const schema::TimePoint before = time_of(session, "--before", options.before, Toward::behind);
    const std::int64_t removed = session.history().forget_log(before);
    session.count_changes(removed);
    write_record(session.streams().out, session.format(), {number_field("removed", removed)});
    return ExitCode::done;
}

}  // namespace jobstrand::cli
