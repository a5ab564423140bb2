#include "persistence/series/series_turns.hpp"

#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "schema/job_transition.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesState;
using schema::TimePoint;
using schema::TurnPlan;

std::set<std::string_view> keys_of(std::span<const Job* const> jobs) {
    std::set<std::string_view> keys;
    for (const Job* job : jobs) {
        if (!job->repeat.empty() || !job->series.empty()) {
            keys.insert(schema::series_key_of(*job));
        }
    }
    return keys;
}

/// A turn like this one that has not run yet.
Job next_turn(Job turn, const Series& series, std::string id) {
    turn.id = std::move(id);
    turn.revision = 1;
    turn.correlation_id = turn.id;
    turn.lock_owner.clear();
    turn.lock_expiration.reset();
    turn.retries = series.retries;
    turn.attempts = 0;
    turn.exception_message.clear();
    turn.exception_stack_id.clear();
    turn.suspended_from.clear();
    turn.due_date = series.next_fire;
    turn.series = series.key;
    if (turn.type == schema::kMessageType) {
        turn.type = schema::kTimerType;
    }
    return turn;
}

}  // namespace

SeriesTurns::SeriesTurns(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const Job* const> jobs,
    TimePoint now
)
    : transaction_(transaction), context_(context), now_(now) {
    const std::set<std::string_view> sorted = keys_of(jobs);
    const std::vector<std::string_view> keys(sorted.begin(), sorted.end());
    series_ = lock_series(transaction, keys);
    const bool needs_calendars = std::ranges::any_of(series_, [](const auto& entry) {
        return !entry.second.calendar.empty();
    });
    if (needs_calendars) {
        calendars_ = read_calendars(transaction);
    }
}

SeriesTurns::Fate SeriesTurns::fall_due(Job& row, bool by_hand) {
    Series* const series = find(row);
    if (series == nullptr || !has_baton(row, *series)) {
        row.repeat.clear();
        return Fate::fires;
    }
    if (series->state == SeriesState::running) {
        return Fate::fires;  // The wait before a retry is over.
    }
    const TimePoint due = row.due_date.value_or(now_);
    TurnPlan planned = plan(*series, due, by_hand ? due : now_);
    *series = std::move(planned.series);
    row.series = series->key;
    if (!planned.fires) {
        row.due_date = planned.next_due;
        row.repeat = context_.schedule.repeat_of(*series);
        return planned.next_due ? Fate::waits : Fate::over;
    }
    if (!planned.next_due) {
        row.repeat.clear();
    } else if (series->overlap) {
        row.repeat.clear();
        insert_next(row, *series);
    } else {
        series->state = SeriesState::running;
    }
    return Fate::fires;
}

void SeriesTurns::run_ended(Job& row, const std::optional<std::string>& payload) {
    if (row.repeat.empty()) {
        return;
    }
    Series* const series = find(row);
    const bool carries_on = series != nullptr && has_baton(row, *series);
    row.repeat.clear();
    if (!carries_on) {
        return;
    }
    row.series = series->key;
    if (series->state == SeriesState::waiting) {
        // Nobody has taken its turn: it was inserted as an executable job, or another engine moved
        // it.
        const TimePoint due = row.due_date.value_or(now_);
        *series = std::move(plan(*series, due, due).series);
    }
    if (!series->next_fire) {
        series->state = SeriesState::ended;
        return;
    }
    series->state = SeriesState::waiting;
    Job turn = row;
    if (payload && series->keep_data) {
        turn.payload = *payload;
        turn.custom_values_id.clear();
    }
    insert_next(turn, *series);
}

void SeriesTurns::died(Job& row) {
    run_ended(row);
    const Series* const series = series_of(row);
    if (series != nullptr && series->stop_on_dead_letter && series->state != SeriesState::ended) {
        stopped_.insert(series->key);
    }
}

void SeriesTurns::removed(const Job& row) {
    const auto found = series_.find(schema::series_key_of(row));
    if (found == series_.end() || found->second.turn_id != row.id) {
        return;
    }
    found->second.state = SeriesState::ended;
    found->second.next_fire.reset();
    found->second.turn_id.clear();
    changed_.insert(found->first);
}

void SeriesTurns::rescheduled(const Job& row) {
    const auto found = series_.find(schema::series_key_of(row));
    if (found != series_.end() && found->second.turn_id == row.id &&
        found->second.state == SeriesState::waiting) {
        found->second.next_fire = row.due_date;
        changed_.insert(found->first);
    }
}

const Series* SeriesTurns::series_of(const Job& job) const {
    const auto found = series_.find(job.series);
    return found == series_.end() ? nullptr : &found->second;
}

void SeriesTurns::write() {
    store_series();
    for (const std::string& key : stopped_) {
        mark_suspended(transaction_, SuspensionScope::series, key, now_);
        context_.log.write(
            schema::LogLevel::warn, "series paused: a turn became a dead letter", {{"series", key}}
        );
    }
    store_next_turns();
}

/// The series that this turn is about to change; null: its text cannot be read.
Series* SeriesTurns::find(const Job& job) {
    const auto found = series_.find(schema::series_key_of(job));
    if (found == series_.end()) {
        return adopt(job);
    }
    changed_.insert(found->first);
    return &found->second;
}

Series* SeriesTurns::adopt(const Job& job) {
    Series series = schema::series_of(job);
    const auto begun =
        context_.schedule.begin(series, calendars_, job.due_date.value_or(now_), now_);
    if (!begun) {
        log_unreadable(series, begun.error());
        return nullptr;
    }
    series = begun.value().series;
    if (!is_storable(series, transaction_.dialect())) {
        log_unreadable(series, {"its times lie outside of what the database holds", 0});
        return nullptr;
    }
    series.turn_id = job.id;
    series.create_time = now_;
    adopted_.insert(series.key);
    return &series_.emplace(series.key, std::move(series)).first->second;
}

/// A copy of a turn, made by whatever hand, must not run the series twice.
bool SeriesTurns::has_baton(const Job& job, const Series& series) const {
    return series.state != SeriesState::ended && series.turn_id == job.id;
}

/// A series that cannot be planned any more ends with this turn.
TurnPlan SeriesTurns::plan(const Series& series, TimePoint due, TimePoint at) {
    const auto planned = context_.schedule.plan(series, calendars_, due, at);
    if (planned && is_storable(planned.value().series, transaction_.dialect())) {
        return planned.value();
    }
    TurnPlan last{.fires = true, .next_due = std::nullopt, .series = series};
    log_unreadable(
        series,
        planned ? schema::ParseError{"the database cannot hold its next due date", 0}
                : planned.error()
    );
    last.series.state = SeriesState::ended;
    last.series.next_fire.reset();
    last.series.previous_fire = due;
    ++last.series.fire_count;
    return last;
}

void SeriesTurns::insert_next(const Job& turn, Series& series) {
    Job next = next_turn(turn, series, context_.ids.next());
    next.repeat = context_.schedule.repeat_of(series);
    next.create_time = now_;
    series.turn_id = next.id;
    next_turns_.push_back(std::move(next));
}

void SeriesTurns::log_unreadable(const Series& series, const schema::ParseError& error) {
    context_.log.write(
        schema::LogLevel::error,
        "series ended: it has no next turn",
        {{"series", series.key}, {"repeat", series.repeat}, {"error", error.message}}
    );
}

void SeriesTurns::store_series() {
    std::vector<Series> fresh;
    std::vector<Series> known;
    for (const auto& [key, series] : series_) {
        if (adopted_.contains(key)) {
            fresh.push_back(series);
        } else if (changed_.contains(key)) {
            known.push_back(series);
        }
    }
    insert_series(transaction_, fresh);
    update_series(transaction_, known);
}

void SeriesTurns::store_next_turns() {
    load_payloads(transaction_, next_turns_);
    store_payloads(transaction_, next_turns_, context_.ids);
    std::vector<PlacedJob> turns;
    for (Job& turn : next_turns_) {
        turns.push_back({.place = JobPlace::timer, .job = std::move(turn)});
    }
    next_turns_.clear();
    divert_suspended(transaction_, turns);
    std::vector<const PlacedJob*> rows;
    for (const PlacedJob& turn : turns) {
        rows.push_back(&turn);
    }
    std::ranges::sort(rows, {}, [](const PlacedJob* row) { return std::string_view(row->job.id); });
    insert_placed(transaction_, rows);
}

void store_payloads(Transaction& transaction, std::span<Job> jobs, FreshIds& ids) {
    std::vector<ByteArray> payloads;
    for (Job& job : jobs) {
        job.custom_values_id.clear();
        if (is_too_long_for_row(job.payload)) {
            job.custom_values_id = ids.next();
            payloads.push_back({.id = job.custom_values_id, .text = job.payload});
        }
    }
    insert_byte_arrays(transaction, kPayloadName, payloads);
}

}  // namespace jobstrand::persistence
