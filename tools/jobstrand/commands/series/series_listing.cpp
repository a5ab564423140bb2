#include "tools/jobstrand/commands/series/series_listing.hpp"

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/json/series_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::SeriesCondition;
using persistence::SeriesSummary;

/// Series that are asked for in one statement.
constexpr std::size_t kPage = 1000;

const std::vector<TableColumn>& series_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "series", .heading = "SERIES", .width_max = 64},
        {.field = "group", .heading = "GROUP"},
        {.field = "handlerType", .heading = "TYPE"},
        {.field = "repeat", .heading = "REPEAT", .width_max = 50},
        {.field = "zone", .heading = "ZONE"},
        {.field = "calendar", .heading = "CALENDAR", .is_optional = true},
        {.field = "state", .heading = "STATE"},
        {.field = "previousFire", .heading = "PREVIOUS"},
        {.field = "nextFire", .heading = "NEXT"},
        {.field = "start", .heading = "START", .is_optional = true},
        {.field = "end", .heading = "END", .is_optional = true},
        {.field = "misfire", .heading = "MISFIRE", .is_optional = true},
        {.field = "description", .heading = "DESCRIPTION", .is_optional = true},
    };
    return columns;
}

[[nodiscard]] std::optional<SeriesCondition> condition_of(const std::optional<std::string>& word) {
    if (!word) {
        return std::nullopt;
    }
    if (const auto condition = persistence::series_condition_named(*word)) {
        return condition;
    }
    throw CliError(
        ExitCode::wrong_usage,
        fmt::format(
            "--state must be waiting, running, paused or ended, not {}", quoted_if_needed(*word)
        )
    );
}

}  // namespace

ExitCode list_series(Session& session, const SeriesListOptions& options) {
    const persistence::SeriesFilter filter{
        .group = group_of(options.group),
        .condition = condition_of(options.state),
    };
    const timers::Zone zone = zone_of(options.zone);
    const std::size_t limit = limit_of(options.limit);
    // One more than is shown tells whether there is more.
    std::vector<SeriesSummary> series =
        session.series_store().list_series(filter, options.after, limit + 1);
    const bool is_cut = series.size() > limit;
    if (is_cut) {
        series.resize(limit);
    }
    write_series(session, series, zone);
    if (is_cut) {
        session.tell(fmt::format("there are more: go on with --after {}", series.back().series.key)
        );
    }
    return ExitCode::done;
}

ExitCode show_series(Session& session, const SeriesShowOptions& options) {
    const timers::Zone zone = zone_of(options.zone);
    const SeriesSummary summary = find_series(session, options.key);
    write_record(session.streams().out, session.format(), record_of(summary, zone));
    return ExitCode::done;
}

SeriesSummary find_series(Session& session, const std::string& key) {
    auto summary = session.series_store().find_series(key);
    if (!summary) {
        throw CliError(ExitCode::not_found, no_such(key));
    }
    return std::move(*summary);
}

void for_each_series(
    Session& session,
    const persistence::SeriesFilter& filter,
    const std::function<void(const SeriesSummary&)>& use
) {
    std::string after;
    while (true) {
        const std::vector<SeriesSummary> page =
            session.series_store().list_series(filter, after, kPage);
        for (const SeriesSummary& summary : page) {
            use(summary);
        }
        if (page.size() < kPage) {
            return;
        }
        after = page.back().series.key;
    }
}

void write_series(
    Session& session,
    const std::vector<SeriesSummary>& series,
    const timers::Zone& zone
) {
    RecordWriter writer(session.streams().out, session.format(), series_columns());
    for (const SeriesSummary& summary : series) {
        writer.add(record_of(summary, zone));
    }
    writer.finish();
}

std::string named(const std::string& key) {
    return "series " + quoted_if_needed(key);
}

std::string no_such(const std::string& key) {
    return "there is no " + named(key);
}

std::optional<std::string> group_of(const std::optional<std::string>& text) {
    return text ? std::optional(not_empty("--group", *text)) : std::nullopt;
}

}  // namespace jobstrand::cli
