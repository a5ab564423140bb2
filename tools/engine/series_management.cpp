#include "deadletter/series_admin.hpp"
#include "timers/series/next_turns.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"

#include <jobstrand/series.hpp>

#include <span>
#include <stdexcept>
#include <utility>

namespace jobstrand {

using deadletter::ItemResult;
using deadletter::SeriesChange;
using persistence::SuspensionScope;

namespace {

deadletter::SeriesAdmin series_admin_of(engine::Wiring& wiring) {
    return {wiring.store(), wiring.series_store(), wiring.clock()};
}

template <typename Value>
Value read(const schema::ParseResult<Value>& result) {
    if (!result) {
        throw std::invalid_argument("the series has no turns: " + result.error().message);
    }
    return result.value();
}

template <typename Parts>
ItemResult change_series(Parts& parts, SeriesChange change, const std::string& key) {
    return parts.result_of_change([&](engine::Wiring& wiring, const deadletter::BulkWatch& watch) {
        series_admin_of(wiring).change(change, {key}, watch);
    });
}

template <typename Text>
void set_if_said(const std::optional<Text>& said, Text& member) {
    if (said) {
        member = *said;
    }
}

/// A new repeat has a start and an end of its own.
schema::Series rescheduled(schema::Series series, const SeriesTimes& times) {
    series.repeat = times.repeat;
    set_if_said(times.zone, series.zone);
    set_if_said(times.dst_rule, series.dst_rule);
    set_if_said(times.calendar, series.calendar);
    set_if_said(times.misfire, series.misfire);
    if (times.misfire_threshold) {
        series.misfire_threshold = times.misfire_threshold;
    }
    series.start = times.start;
    series.end = times.end;
    return series;
}

}  // namespace

std::optional<StoredSeries> SeriesManagement::find(std::string_view key) {
    auto found = engine_.parts_->wiring().series_store().find_series(key);
    return found ? std::optional(engine::to_public(*std::move(found))) : std::nullopt;
}

std::vector<StoredSeries>
SeriesManagement::list(const SeriesQuery& query, std::string_view after, std::size_t limit) {
    std::vector<StoredSeries> listed;
    for (persistence::SeriesSummary& summary : engine_.parts_->wiring().series_store().list_series(
             {.group = query.group, .condition = query.state}, after, limit
         )) {
        listed.push_back(engine::to_public(std::move(summary)));
    }
    return listed;
}

std::vector<TimePoint> SeriesManagement::next_turns(
    std::string_view key,
    std::size_t count,
    const std::optional<TimePoint>& after
) {
    engine::Wiring& wiring = engine_.parts_->wiring();
    const auto found = wiring.series_store().find_series(key);
    if (!found || found->series.state == schema::SeriesState::ended) {
        return {};
    }
    return read(timers::next_turns(
        wiring.schedule(),
        found->series,
        wiring.calendar_texts(),
        wiring.clock().now(),
        after.value_or(TimePoint::min()),
        count
    ));
}

std::vector<TimePoint> SeriesManagement::next_turns(NewSeries series, std::size_t count) {
    engine::Wiring& wiring = engine_.parts_->wiring();
    const TimePoint now = wiring.clock().now();
    const schema::CalendarTexts calendars = wiring.calendar_texts();
    engine::resolve_due_texts(std::span(&series.turn, 1), now, [&] { return calendars; });
    const std::optional<TimePoint> due = series.turn.due_date;
    const auto begun =
        read(wiring.schedule().begin(engine::series_of(std::move(series)), calendars, due, now));
    return read(
        timers::next_turns(wiring.schedule(), begun.series, calendars, now, TimePoint::min(), count)
    );
}

ChangeAnswer SeriesManagement::pause(const std::string& key) {
    return change_series(*engine_.parts_, SeriesChange::pause, key).answer;
}

ChangeAnswer SeriesManagement::resume(const std::string& key) {
    return change_series(*engine_.parts_, SeriesChange::resume, key).answer;
}

ChangeAnswer SeriesManagement::end(const std::string& key) {
    return change_series(*engine_.parts_, SeriesChange::end, key).answer;
}

ChangeAnswer SeriesManagement::remove(const std::string& key) {
    return change_series(*engine_.parts_, SeriesChange::remove, key).answer;
}

std::optional<std::string> SeriesManagement::fire(const std::string& key) {
    std::string job = change_series(*engine_.parts_, SeriesChange::fire, key).new_job;
    return job.empty() ? std::nullopt : std::optional(std::move(job));
}

ChangeAnswer SeriesManagement::reschedule(const std::string& key, const SeriesTimes& times) {
    return engine_.parts_->change([&](engine::Wiring& wiring) {
        auto found = wiring.series_store().find_series(key);
        if (!found) {
            return ChangeAnswer::not_found;
        }
        return series_admin_of(wiring)
            .reschedule(rescheduled(std::move(found->series), times))
            .answer;
    });
}

std::vector<SeriesGroup> SeriesManagement::groups() {
    std::vector<SeriesGroup> groups;
    for (const auto& [name, group] : series_admin_of(engine_.parts_->wiring()).groups()) {
        groups.push_back({.name = name, .series = group.series, .paused_since = group.paused_since}
        );
    }
    return groups;
}

std::int64_t SeriesManagement::pause_group(const std::string& name) {
    return engine_.parts_->change([&](engine::Wiring& wiring) {
        return wiring.store().suspend(SuspensionScope::timer_group, name, wiring.clock().now());
    });
}

std::int64_t SeriesManagement::resume_group(const std::string& name) {
    return engine_.parts_->change([&](engine::Wiring& wiring) {
        return wiring.store().activate(SuspensionScope::timer_group, name, wiring.clock().now());
    });
}

std::size_t SeriesManagement::set_calendar(const std::string& name, const std::string& text) {
    return engine_.parts_->change([&](engine::Wiring& wiring) {
        return wiring.series_store().put_calendar(
            {.name = name, .text = text}, wiring.clock().now()
        );
    });
}

std::map<std::string, std::string> SeriesManagement::calendars() {
    std::map<std::string, std::string> texts;
    for (auto& [name, text] : engine_.parts_->wiring().series_store().calendars()) {
        texts.emplace(std::move(name), std::move(text));
    }
    return texts;
}

ChangeAnswer SeriesManagement::remove_calendar(const std::string& name) {
    return engine_.parts_->change_item([&](engine::Wiring& wiring,
                                           const deadletter::BulkWatch& watch) {
        series_admin_of(wiring).remove_calendars({name}, watch);
    });
}

}  // namespace jobstrand
