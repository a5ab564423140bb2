#include "tools/jobstrand/commands/series/series_listing.hpp"

#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/json/series_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::cli {

namespace {

using deadletter::ItemAnswer;
using deadletter::Refusal;
using persistence::SeriesCondition;
using persistence::SeriesSummary;

const std::vector<TableColumn>& series_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "series", .heading = "SERIES", .width_max = 64},
        {.field = "group", .heading = "GROUP", .rank = 7},
        {.field = "handlerType", .heading = "TYPE", .rank = 4},
        {.field = "repeat", .heading = "REPEAT", .width_max = 50, .rank = 3, .width_least = 12},
        {.field = "zone", .heading = "ZONE", .rank = 5},
        {.field = "calendar", .heading = "CALENDAR", .is_optional = true, .rank = 8},
        {.field = "state", .heading = "STATE", .rank = 2},
        {.field = "previousFire", .heading = "PREVIOUS", .rank = 6},
        {.field = "nextFire", .heading = "NEXT", .rank = 1},
        {.field = "start", .heading = "START", .is_optional = true, .rank = 11},
        {.field = "end", .heading = "END", .is_optional = true, .rank = 10},
        {.field = "misfire", .heading = "MISFIRE", .is_optional = true, .rank = 9},
        {.field = "description",
         .heading = "DESCRIPTION",
         .is_optional = true,
         .rank = 12,
         .width_least = 16},
        {.field = "unreadableSeries",
         .heading = "UNREADABLE",
         .width_max = 60,
         .is_optional = true,
         .rank = 1,
         .width_least = 16,
         .tone = Tone::bad},
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
    const std::size_t limit = limit_of(session, options.limit);
    write_series(session, session.series().list(filter, options.after, limit), zone);
    return ExitCode::done;
}

ExitCode show_series(Session& session, const SeriesShowOptions& options) {
    const timers::Zone zone = zone_of(options.zone);
    const SeriesSummary summary = find_series(session, options.key);
    write_record(
        session.streams().out, session.format(), record_of(summary, zone), session.style()
    );
    return ExitCode::done;
}

SeriesSummary find_series(Session& session, const std::string& key) {
    auto summary = session.series_store().find_series(key);
    if (!summary) {
        throw CliError(ExitCode::not_found, no_such(key));
    }
    return std::move(*summary);
}

void write_series(
    Session& session,
    const schema::Page<SeriesSummary>& series,
    const timers::Zone& zone
) {
    write_page(
        session,
        series,
        series_columns(),
        [&zone](const SeriesSummary& summary) { return record_of(summary, zone); },
        [](const SeriesSummary& summary) { return summary.series.key; }
    );
}

std::string named(const std::string& key) {
    return "series " + quoted_if_needed(key);
}

std::string no_such(const std::string& key) {
    return "there is no " + named(key);
}

std::string why_not_series(const deadletter::ItemResult& item) {
    switch (item.answer) {
        case ItemAnswer::not_found:
            return no_such(item.id);
        case ItemAnswer::locked:
            return fmt::format(
                "the next turn of {} is just being taken: try again", named(item.id)
            );
        case ItemAnswer::done:
        case ItemAnswer::skipped:
        case ItemAnswer::refused:
            break;
    }
    switch (item.refusal) {
        case Refusal::series_has_not_ended:
            return fmt::format(
                "{} has not ended: `jobstrand series end {}` first",
                named(item.id),
                quoted_if_needed(item.id)
            );
        case Refusal::series_has_no_turn:
            return fmt::format(
                "{} has lost its turn, somebody has deleted its row: `jobstrand series resume {}`",
                named(item.id),
                quoted_if_needed(item.id)
            );
        case Refusal::group_is_paused:
            return fmt::format(
                "{} stays paused, because its group is: `jobstrand group resume {}`",
                named(item.id),
                quoted_if_needed(item.group)
            );
        default:
            return named(item.id) + " has ended";
    }
}

std::optional<std::string> group_of(const std::optional<std::string>& text) {
    return text ? std::optional(not_empty("--group", *text)) : std::nullopt;
}

}  // namespace jobstrand::cli
