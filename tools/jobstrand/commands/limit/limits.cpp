#include "tools/jobstrand/commands/limit/limits.hpp"

#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"
#include "tools/jobstrand/json/limit_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <stdexcept>

namespace jobstrand::cli {

namespace {

const std::vector<TableColumn>& limit_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "limit", .heading = "LIMIT", .width_max = 64},
        {.field = "concurrent", .heading = "CONCURRENT"},
        {.field = "perNode", .heading = "PER NODE"},
        {.field = "rate", .heading = "RATE"},
        {.field = "running", .heading = "RUNNING"},
        {.field = "waiting", .heading = "WAITING"},
    };
    return columns;
}

[[nodiscard]] std::optional<schema::StartRate> rate_of(const std::optional<std::string>& text) {
    if (!text) {
        return std::nullopt;
    }
    const auto rate = schema::parse_start_rate(*text);
    if (!rate) {
        throw CliError(ExitCode::wrong_usage, "--rate: " + rate.error().message);
    }
    return rate.value();
}

[[nodiscard]] std::optional<int>
runs_of(std::string_view option, const std::optional<std::string>& text) {
    return text ? std::optional(
                      static_cast<int>(whole_number(option, *text, 0, schema::kMostConcurrent))
                  )
                : std::nullopt;
}

}  // namespace

ExitCode list_limits(Session& session, const LimitListOptions& /*options*/) {
    RecordWriter writer(session.streams().out, session.format(), limit_columns(), session.style());
    for (const deadletter::LimitSummary& one : session.limits().list()) {
        writer.add(record_of(one));
    }
    writer.finish();
    return ExitCode::done;
}

ExitCode set_limit(Session& session, const LimitSetOptions& options) {
    schema::JobLimit limit;
    try {
        limit = schema::limit_named(options.name);
        limit.concurrent = runs_of("--concurrent", options.concurrent);
        limit.per_node = runs_of("--per-node", options.per_node);
        limit.rate = rate_of(options.rate);
        session.limits().set(limit);
        session.count_changes(1);
    } catch (const std::invalid_argument& mistake) {
        throw CliError(ExitCode::wrong_usage, mistake.what());
    }
    write_record(session.streams().out, session.format(), record_of(limit));
    return ExitCode::done;
}

ExitCode remove_limits(Session& session, const LimitRemoveOptions& options) {
    const auto why_not = [](const deadletter::ItemResult& item) {
        return "there is no limit " + quoted_if_needed(item.id);
    };
    ItemReport report(session, {.done = "removed", .field = "limit", .why_not = why_not});
    session.limits().remove(typed_ids(session, options.names), report.watch());
    return report.finish();
}

}  // namespace jobstrand::cli
