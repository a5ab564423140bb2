#include "deadletter/series_admin.hpp"

#include "deadletter/bulk_change.hpp"
#include "deadletter/job_search.hpp"
#include "schema/series_transition.hpp"

#include <utility>

namespace jobstrand::deadletter {

using persistence::CalendarAnswer;
using persistence::SeriesAnswer;
using persistence::SeriesCondition;
using persistence::SeriesSummary;
using persistence::SuspensionScope;
using schema::JobPlace;
using schema::PlacedJob;

namespace {

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

namespace {

/// Series that are asked for in one statement.
constexpr std::size_t kSeriesAskedFor = 1000;

[[nodiscard]] ItemResult refused_change(const schema::Series& series, Refusal why) {
    return {
        .id = series.key,
        .answer = ItemAnswer::refused,
        .refusal = why,
        .group = series.group,
    };
}

[[nodiscard]] ItemResult result_of(const schema::Series& series, SeriesAnswer answer) {
    switch (answer) {
        case SeriesAnswer::done:
            return {.id = series.key};
        case SeriesAnswer::not_found:
            return {.id = series.key, .answer = ItemAnswer::not_found};
        case SeriesAnswer::locked:
            return {.id = series.key, .answer = ItemAnswer::locked};
        case SeriesAnswer::not_ended:
            break;
    }
    return refused_change(series, Refusal::series_has_not_ended);
}

}  // namespace

bool concerns(SeriesChange change, SeriesCondition condition) {
    switch (change) {
        case SeriesChange::pause:
            return condition == SeriesCondition::waiting || condition == SeriesCondition::running;
        case SeriesChange::resume:
            return condition == SeriesCondition::paused;
        case SeriesChange::fire:
        case SeriesChange::end:
            return condition != SeriesCondition::ended;
        case SeriesChange::remove:
            break;
    }
    return condition == SeriesCondition::ended;
}

void for_each_series(
    persistence::SeriesStore& store,
    const persistence::SeriesFilter& filter,
    const std::function<void(const SeriesSummary&)>& use
) {
    schema::for_each_page(
        {.after = {}, .size = kSeriesAskedFor},
        [&](const std::string& after, std::size_t limit) {
            return store.list_series(filter, after, limit);
        },
        [](const SeriesSummary& summary) { return summary.series.key; },
        [&](const std::vector<SeriesSummary>& page) {
            for (const SeriesSummary& summary : page) {
                use(summary);
            }
            return true;
        }
    );
}

schema::Page<SeriesSummary> SeriesAdmin::list(
    const persistence::SeriesFilter& filter,
    std::string_view after,
    std::size_t limit
) const {
    return schema::first_page(limit, [&](std::size_t most) {
        return series_store_.list_series(filter, after, most);
    });
}

std::vector<SeriesSummary>
SeriesAdmin::select(const SeriesSelection& selection, SeriesChange change) const {
    std::vector<SeriesSummary> selected;
    const auto keep = [&](const SeriesSummary& summary) {
        if (concerns(change, summary.condition)) {
            selected.push_back(summary);
        }
    };
    for (const std::string& key : selection.keys) {
        if (const auto summary = series_store_.find_series(key)) {
            keep(*summary);
        }
    }
    if (selection.keys.empty()) {
        for_each_series(series_store_, {.group = selection.group}, keep);
    }
    return selected;
}

BulkCounts SeriesAdmin::change(
    SeriesChange change,
    const std::vector<std::string>& keys,
    const BulkWatch& watch
) {
    const auto change_named = [&](const std::string& key) {
        const auto series = series_store_.find_series(key);
        return series ? change_one(change, *series)
                      : ItemResult{.id = key, .answer = ItemAnswer::not_found};
    };
    return change_each(keys, change_named, watch);
}

ItemResult SeriesAdmin::change_one(SeriesChange change, const SeriesSummary& summary) {
    const schema::Series& series = summary.series;
    const bool has_ended = summary.condition == SeriesCondition::ended;
    const schema::TimePoint now = clock_.now();
    switch (change) {
        case SeriesChange::pause:
            if (has_ended) {
                break;
            }
            return {
                .id = series.key,
                .moved = store_.suspend(SuspensionScope::series, series.key, now),
            };
        case SeriesChange::resume:
            if (has_ended) {
                break;
            }
            return resume(series);
        case SeriesChange::fire:
            if (auto job = series_store_.fire_series(series.key, now)) {
                return {.id = series.key, .new_job = std::move(*job)};
            }
            if (!has_ended) {
                return refused_change(series, Refusal::series_has_no_turn);
            }
            break;
        case SeriesChange::end:
            return result_of(series, series_store_.end_series(series.key, now));
        case SeriesChange::remove:
            return result_of(series, series_store_.remove_series(series.key));
    }
    return refused_change(series, Refusal::series_has_ended);
}

ItemResult SeriesAdmin::resume(const schema::Series& series) {
    const bool is_restored = series_store_.restore_turn(series.key, clock_.now()).has_value();
    const std::int64_t moved = store_.activate(SuspensionScope::series, series.key, clock_.now());
    const auto now = series_store_.find_series(series.key);
    if (now && now->condition == SeriesCondition::paused) {
        return refused_change(series, Refusal::group_is_paused);
    }
    return {.id = series.key, .moved = is_restored ? 1 : moved};
}

ItemResult SeriesAdmin::reschedule(const schema::Series& times) {
    const auto current = series_store_.find_series(times.key);
    if (current && current->condition == SeriesCondition::ended) {
        return refused_change(current->series, Refusal::series_has_ended);
    }
    const SeriesAnswer answer = series_store_.reschedule_series(times, clock_.now());
    return current && answer == SeriesAnswer::not_found
               ? refused_change(current->series, Refusal::series_has_no_turn)
               : result_of(times, answer);
}

std::map<std::string, SeriesGroup> SeriesAdmin::groups() const {
    std::map<std::string, SeriesGroup> groups;
    for (const auto& [name, series] : series_store_.count_groups()) {
        groups[name].series = series;
    }
    for (const auto& paused : store_.suspensions(SuspensionScope::timer_group)) {
        groups[paused.id].paused_since = paused.since;
    }
    return groups;
}

BulkCounts
SeriesAdmin::remove_calendars(const std::vector<std::string>& names, const BulkWatch& watch) {
    const auto remove = [&](const std::string& name) -> ItemResult {
        switch (series_store_.remove_calendar(name)) {
            case CalendarAnswer::done:
                return {.id = name};
            case CalendarAnswer::not_found:
                return {.id = name, .answer = ItemAnswer::not_found};
            case CalendarAnswer::in_use:
                break;
        }
        return {.id = name, .answer = ItemAnswer::refused, .refusal = Refusal::is_in_use};
    };
    return change_each(names, remove, watch);
}

}  // namespace jobstrand::deadletter
