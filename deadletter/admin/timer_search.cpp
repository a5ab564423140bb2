#include "deadletter/admin/timer_search.hpp"

#include "deadletter/admin/job_search.hpp"
#include "deadletter/admin/series_admin.hpp"
#include "schema/series/series_transition.hpp"

#include <utility>

namespace jobstrand::deadletter {

namespace {

using persistence::SeriesSummary;
using schema::JobPlace;
using schema::PlacedJob;

[[nodiscard]] std::vector<JobPlace> places_of(TimerState state) {
    switch (state) {
        case TimerState::waiting:
            return {JobPlace::timer};
        case TimerState::paused:
            return {JobPlace::suspended};
        case TimerState::all:
            break;
    }
    return {JobPlace::timer, JobPlace::suspended};
}

/// Of the suspended place, only what waits for a date is a timer.
[[nodiscard]] bool is_timer(const PlacedJob& placed) {
    return placed.place == JobPlace::timer ||
           placed.job.suspended_from == schema::name_of(JobPlace::timer);
}

}  // namespace

schema::Page<FoundTimer> TimerSearch::list(const TimerQuery& query) const {
    JobQuery jobs{
        .places = places_of(query.state),
        .filter = query.filter,
        .after = query.after,
        .limit = query.limit,
        .is_wanted = is_timer,
    };
    if (query.group) {
        jobs.filter.ids = turns_of(*query.group);
        // An empty list of ids would mean every job.
        if (jobs.filter.ids.empty()) {
            return {};
        }
    }
    JobPage found = JobSearch(store_).list(jobs);
    schema::Page<FoundTimer> timers{.items = {}, .has_more = found.has_more};
    for (PlacedJob& placed : found.items) {
        auto series = series_of(placed.job);
        timers.items.push_back({.placed = std::move(placed), .series = std::move(series)});
    }
    return timers;
}

std::optional<SeriesSummary> TimerSearch::series_of(const schema::Job& job) const {
    if (job.repeat.empty()) {
        return std::nullopt;
    }
    auto found = series_store_.find_series(schema::series_key_of(job));
    return found && schema::is_only_a_namesake(job, found->series) ? std::nullopt
                                                                   : std::move(found);
}

std::vector<std::string> TimerSearch::turns_of(const std::string& group) const {
    std::vector<std::string> ids;
    for_each_series(series_store_, {.group = group}, [&](const SeriesSummary& summary) {
        if (!summary.series.turn_id.empty()) {
            ids.push_back(summary.series.turn_id);
        }
    });
    return ids;
}

}  // namespace jobstrand::deadletter
