#include "tools/jobstrand/commands/series/series_changes.hpp"

#include "tools/jobstrand/commands/bulk_selection.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/series/series_answers.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using persistence::SeriesCondition;
using persistence::SeriesSummary;
using persistence::SuspensionScope;

/// What a verb does with each series that it means.
struct SeriesVerb {
    std::string_view acts;  ///< What it does with series, for the question: "pauses".
    ItemWords words;
    IsWanted is_wanted;
    void (*change)(Session& session, const SeriesSummary& series, ItemReport& report);
};

[[nodiscard]] bool is_live(SeriesCondition condition) {
    return condition != SeriesCondition::ended;
}

[[nodiscard]] bool is_going(SeriesCondition condition) {
    return condition == SeriesCondition::waiting || condition == SeriesCondition::running;
}

[[nodiscard]] bool is_paused(SeriesCondition condition) {
    return condition == SeriesCondition::paused;
}

[[nodiscard]] bool has_ended(SeriesCondition condition) {
    return condition == SeriesCondition::ended;
}

ExitCode show_dry_run(Session& session, std::vector<SeriesSummary> series, const SeriesVerb& verb) {
    std::erase_if(series, [&](const SeriesSummary& one) { return !verb.is_wanted(one.condition); });
    session.tell(fmt::format("{} series would be changed; nothing was", series.size()));
    series.resize(std::min(series.size(), kDryRunSample));
    write_series(session, series, timers::Zone::utc());
    return ExitCode::done;
}

ExitCode change_by_key(Session& session, const SeriesBulkOptions& options, const SeriesVerb& verb) {
    ItemReport report(session, verb.words);
    for (const std::string& key : options.keys) {
        if (const auto series = session.series_store().find_series(key)) {
            verb.change(session, *series, report);
        } else {
            report.not_found(key, no_such(key));
        }
    }
    return report.finish();
}

ExitCode change(Session& session, const SeriesBulkOptions& options, const SeriesVerb& verb) {
    std::vector<SeriesSummary> selected = select_series(session, options, verb.is_wanted);
    if (options.dry_run) {
        return show_dry_run(session, std::move(selected), verb);
    }
    if (options.is_by_key()) {
        return change_by_key(session, options, verb);
    }
    confirm(session, options.yes, fmt::format("This {} {} series.", verb.acts, selected.size()));
    ItemReport report(session, verb.words);
    for (const SeriesSummary& series : selected) {
        verb.change(session, series, report);
    }
    return report.finish();
}

void pause_one(Session& session, const SeriesSummary& series, ItemReport& report) {
    const std::string& key = series.series.key;
    if (has_ended(series.condition)) {
        report.refused(key, named(key) + " has ended");
        return;
    }
    session.suspension_desk().suspend(SuspensionScope::series, key, session.database_now());
    report.done(key);
}

void resume_one(Session& session, const SeriesSummary& series, ItemReport& report) {
    const std::string& key = series.series.key;
    if (has_ended(series.condition)) {
        report.refused(key, named(key) + " has ended");
        return;
    }
    session.suspension_desk().activate(SuspensionScope::series, key, session.database_now());
    const auto now = session.series_store().find_series(key);
    if (now && is_paused(now->condition)) {
        const std::string group = quoted_if_needed(series.series.group);
        report.refused(
            key,
            fmt::format(
                "{} stays paused, because its group is: `jobstrand group resume {}`",
                named(key),
                group
            )
        );
        return;
    }
    report.done(key);
}

void fire_one(Session& session, const SeriesSummary& series, ItemReport& report) {
    const std::string& key = series.series.key;
    if (const auto job = session.series_store().fire_series(key, session.database_now())) {
        report.done(key, *job);
    } else {
        report.refused(key, named(key) + " has ended: there is no turn to run");
    }
}

void end_one(Session& session, const SeriesSummary& series, ItemReport& report) {
    const std::string& key = series.series.key;
    report_answer(report, key, session.series_store().end_series(key, session.database_now()));
}

void remove_one(Session& session, const SeriesSummary& series, ItemReport& report) {
    const std::string& key = series.series.key;
    report_answer(report, key, session.series_store().remove_series(key));
}

}  // namespace

ExitCode pause_series(Session& session, const SeriesBulkOptions& options) {
    return change(
        session,
        options,
        {.acts = "pauses",
         .words = {.done = "paused", .field = "series"},
         .is_wanted = is_going,
         .change = pause_one}
    );
}

ExitCode resume_series(Session& session, const SeriesBulkOptions& options) {
    return change(
        session,
        options,
        {.acts = "resumes",
         .words = {.done = "resumed", .field = "series"},
         .is_wanted = is_paused,
         .change = resume_one}
    );
}

ExitCode fire_series(Session& session, const SeriesBulkOptions& options) {
    return change(
        session,
        options,
        {.acts = "runs an extra job of each of",
         .words = {.done = "fired", .field = "series", .detail = "jobId"},
         .is_wanted = is_live,
         .change = fire_one}
    );
}

ExitCode end_series(Session& session, const SeriesBulkOptions& options) {
    return change(
        session,
        options,
        {.acts = "ends",
         .words = {.done = "ended", .field = "series"},
         .is_wanted = is_live,
         .change = end_one}
    );
}

ExitCode remove_series(Session& session, const SeriesBulkOptions& options) {
    return change(
        session,
        options,
        {.acts = "removes for good, since they have ended,",
         .words = {.done = "removed", .field = "series"},
         .is_wanted = has_ended,
         .change = remove_one}
    );
}

}  // namespace jobstrand::cli
