#include "tools/jobstrand/commands/series/series_changes.hpp"

#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using deadletter::ItemResult;
using deadletter::SeriesChange;
using deadletter::SeriesSelection;
using persistence::SeriesSummary;

/// How a change is spoken of.
struct SeriesWords {
    std::string_view acts;  ///< What it does with series, for the question: "pauses".
    std::string_view done;  ///< What happened to each: "paused".
};

[[nodiscard]] SeriesWords words_of(SeriesChange change) {
    switch (change) {
        case SeriesChange::pause:
            return {.acts = "pauses", .done = "paused"};
        case SeriesChange::resume:
            return {.acts = "resumes", .done = "resumed"};
        case SeriesChange::fire:
            return {.acts = "runs an extra job of each of", .done = "fired"};
        case SeriesChange::end:
            return {.acts = "ends", .done = "ended"};
        case SeriesChange::remove:
            break;
    }
    return {.acts = "removes for good, since they have ended,", .done = "removed"};
}

[[nodiscard]] ItemWords item_words_of(SeriesChange change) {
    const bool is_fire = change == SeriesChange::fire;
    return {
        .done = words_of(change).done,
        .field = "series",
        .detail = is_fire ? "jobId" : "",
        .why_not =
            [is_fire](const ItemResult& item) {
                const bool has_ended = item.refusal == deadletter::Refusal::series_has_ended;
                return why_not_series(item) +
                       (is_fire && has_ended ? ": there is no turn to run" : "");
            },
    };
}

[[nodiscard]] SeriesSelection selection_of(Session& session, const SeriesBulkOptions& options) {
    require_one_way(
        {!options.keys.empty(), options.group.has_value(), options.all},
        "say which series: keys, --group NAME, or --all",
        "keys, --group and --all exclude each other"
    );
    return {.keys = typed_ids(session, options.keys), .group = group_of(options.group)};
}

[[nodiscard]] ExitCode show_dry_run(Session& session, std::vector<SeriesSummary> series) {
    session.tell(fmt::format("{} series would be changed; nothing was", series.size()));
    series.resize(std::min(series.size(), kDryRunSample));
    write_series(session, {.items = std::move(series), .has_more = false}, timers::Zone::utc());
    return ExitCode::done;
}

[[nodiscard]] std::vector<std::string> keys_of(const std::vector<SeriesSummary>& series) {
    std::vector<std::string> keys;
    for (const SeriesSummary& summary : series) {
        keys.push_back(summary.series.key);
    }
    return keys;
}

}  // namespace

ExitCode change_series(Session& session, const SeriesBulkOptions& options) {
    const SeriesSelection selection = selection_of(session, options);
    const SeriesChange change = options.change;
    deadletter::SeriesDesk desk = session.series();
    const bool is_nothing = !options.keys.empty() && selection.keys.empty();
    if (options.dry_run && !is_nothing) {
        return show_dry_run(session, desk.select(selection, change));
    }
    std::vector<std::string> keys = selection.keys;
    if (options.keys.empty()) {
        keys = keys_of(desk.select(selection, change));
        confirm(
            session,
            options.yes,
            fmt::format("This {} {} series.", words_of(change).acts, keys.size())
        );
    }
    ItemReport report(session, item_words_of(change));
    desk.change(change, keys, report.watch());
    return report.finish();
}

}  // namespace jobstrand::cli
