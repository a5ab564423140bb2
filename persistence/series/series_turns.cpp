#include "persistence/series/series_turns.hpp"

#include "persistence/history/history_book.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::ParseError;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesNote;
using schema::SeriesTransition;
using schema::TimePoint;
using schema::TurnOutcome;
using schema::TurnPlan;

namespace {

std::set<std::string_view> keys_of(std::span<const Job* const> turns) {
    std::set<std::string_view> keys;
    for (const Job* turn : turns) {
        keys.insert(schema::series_key_of(*turn));
    }
    return keys;
}

}  // namespace

SeriesTurns::SeriesTurns(Transaction& transaction, const StoreContext& context, TimePoint now)
    : transaction_(transaction), context_(context), now_(now) {}

void SeriesTurns::lock(std::span<const Job* const> turns) {
    if (turns.empty()) {
        return;
    }
    const std::set<std::string_view> sorted = keys_of(turns);
    const std::vector<std::string_view> keys(sorted.begin(), sorted.end());
    series_ = series_for_update(transaction_, keys);
    const bool needs_calendars = std::ranges::any_of(series_, [](const auto& entry) {
        return !entry.second.series.calendar.empty();
    });
    if (needs_calendars) {
        calendars_ = read_calendars(transaction_);
    }
}

TurnOutcome SeriesTurns::take(Job& turn, const schema::Transition& transition) {
    SeriesRow* const row = find(turn, transition.reason);
    const Series* const series = row == nullptr ? nullptr : &row->series;
    const auto planned = row == nullptr ? std::nullopt : plan(*row, turn, transition.reason);
    SeriesTransition result = series_transition(series, turn, transition, planned, now_);
    if (!result.still_carries) {
        turn.repeat.clear();
    }
    for (const SeriesNote& note : result.notes) {
        log(note, *series, turn);
    }
    if (result.pauses) {
        paused_.insert(series->key);
    }
    if (result.next_turn) {
        insert_next(result);
    }
    if (result.series) {
        turn.series = series->key;
        keep_of_turn(*result.series, turn);
        change(*row, std::move(*result.series));
    }
    if (result.turn == TurnOutcome::waits) {
        turn.due_date = series->next_fire;
        turn.repeat = context_.schedule.repeat_of(*series);
    }
    return result.turn;
}

void SeriesTurns::changed(const Job& turn) {
    const auto found = series_.find(schema::series_key_of(turn));
    // Written whole, a row that cannot be read would lose its end, or the number of its turns.
    if (found == series_.end() || !found->second.is_readable()) {
        return;
    }
    if (auto changed = schema::with_changed_turn(found->second.series, turn)) {
        change(found->second, std::move(*changed));
    }
}

void SeriesTurns::write() {
    store_series();
    for (const std::string& key : paused_) {
        mark_suspended(transaction_, SuspensionScope::series, key, now_);
    }
    store_next_turns();
}

/// null: there is none, or its text cannot be read.
SeriesRow* SeriesTurns::find(const Job& turn, schema::TransitionReason reason) {
    const auto found = series_.find(schema::series_key_of(turn));
    if (found != series_.end() && !schema::is_only_a_namesake(turn, found->second.series)) {
        return &found->second;
    }
    return is_adopted_by(turn, reason) ? adopt(turn) : nullptr;
}

SeriesRow* SeriesTurns::adopt(const Job& turn) {
    Series open = schema::series_of(turn);
    if (series_.contains(open.key)) {
        open.key = context_.ids.next();
        context_.log.write(
            schema::LogLevel::warn,
            "the id of a job that repeats is the key of another series: its own has a key of its "
            "own",
            {{"job", turn.id}, {"series", open.key}}
        );
    }
    const TimePoint due = turn.due_date.value_or(now_);
    const auto begun = context_.schedule.begin(open, calendars_, due, now_);
    if (!begun) {
        log(schema::unplanned(begun.error()), open, turn);
        return nullptr;
    }
    Series series = begun_by(turn, begun.value().series, now_);
    if (!is_storable(series, transaction_.dialect())) {
        log(schema::unplanned({"its times lie outside of what the database holds", 0}), series, turn
        );
        return nullptr;
    }
    const std::string& key = *adopted_.insert(series.key).first;
    return &series_.emplace(key, SeriesRow{.series = std::move(series)}).first->second;
}

/// nullopt: the series need not be planned.
std::optional<schema::ParseResult<TurnPlan>>
SeriesTurns::plan(const SeriesRow& row, const Job& turn, schema::TransitionReason reason) {
    if (!row.is_readable()) {
        return ParseError{row.complaint, 0};
    }
    const auto question = question_for(row.series, turn, reason, now_);
    if (!question) {
        return std::nullopt;
    }
    auto planned = context_.schedule.plan(row.series, calendars_, question->due, question->now);
    if (planned && !is_storable(planned.value().series, transaction_.dialect())) {
        return ParseError{"the database cannot hold its next due date", 0};
    }
    return planned;
}

void SeriesTurns::change(SeriesRow& row, Series changed) {
    // What could not be read is written whole, as it counts from now on.
    const bool is_by_turn = row.is_readable() && do_only_turns_differ(row.series, changed);
    row = {.series = std::move(changed)};
    changed_.insert(row.series.key);
    if (!is_by_turn) {
        written_whole_.insert(row.series.key);
    }
}

void SeriesTurns::insert_next(SeriesTransition& transition) {
    give_id(transition, context_.ids.next());
    Job& next = *transition.next_turn;
    next.repeat = context_.schedule.repeat_of(*transition.series);
    next_turns_.push_back(std::move(next));
}

void SeriesTurns::log(const SeriesNote& note, const Series& series, const Job& turn) {
    if (note.is_about_turn) {
        context_.log.write(note.level, note.message, {{"job", turn.id}, {"series", series.key}});
    } else if (!note.error.empty()) {
        context_.log.write(
            note.level,
            note.message,
            {{"series", series.key}, {"repeat", series.repeat}, {"error", note.error}}
        );
    } else {
        context_.log.write(note.level, note.message, {{"series", series.key}});
    }
}

void SeriesTurns::store_series() {
    std::vector<Series> fresh;
    std::vector<Series> whole;
    std::vector<Series> progressed;
    for (const auto& [key, row] : series_) {
        if (adopted_.contains(key)) {
            fresh.push_back(row.series);
        } else if (changed_.contains(key)) {
            (written_whole_.contains(key) ? whole : progressed).push_back(row.series);
        }
    }
    insert_series(transaction_, fresh);
    update_series(transaction_, whole);
    update_progress(transaction_, progressed);
}

void SeriesTurns::store_next_turns() {
    if (next_turns_.empty()) {
        return;
    }
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
    JobLogPage log(context_.history);
    for (const PlacedJob* const row : rows) {
        log.add_created(row->job, now_);
    }
    log.write(transaction_);
}

namespace {

constexpr std::string_view kTurns = R"sql(
    SELECT ID_, TURN_ID_
    FROM JS_SERIES
    WHERE {scope} = ? AND ID_ > ? AND TURN_ID_ IS NOT NULL
    ORDER BY ID_
    LIMIT ?)sql";

/// Turns of one transaction.
constexpr std::int64_t kPage = schema::limits::kJobsPerTransaction;

struct Page {
    std::string last_key;
    std::vector<std::string> turns;  ///< In id order.
    bool is_full = false;            ///< There may be more behind it.
};

Page read_page(
    TransactionRunner& runner,
    SuspensionScope scope,
    std::string_view id,
    const std::string& after
) {
    const std::string sql =
        fmt::format(kTurns, fmt::arg("scope", scope == SuspensionScope::series ? "ID_" : "GROUP_"));
    const std::array<Value, 3> parameters{id, std::string_view(after), kPage};
    Page page;
    runner.read([&](Connection& connection) {
        page = {};
        connection.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
            page.last_key = row.text(0);
            page.turns.emplace_back(row.text(1));
        });
    });
    page.is_full = std::cmp_equal(page.turns.size(), kPage);
    std::ranges::sort(page.turns);
    return page;
}

/// Returns how many moved; those that a node holds stay.
std::int64_t move_turns(
    const StoreContext& context,
    JobPlace from,
    const std::vector<std::string>& turns,
    const TransitionOf& transition_of,
    schema::TimePoint now
) {
    const std::vector<std::string_view> ids(turns.begin(), turns.end());
    std::vector<std::string> moved;
    const auto move = [&](Transaction& transaction) {
        std::vector<Job> rows = rows_for_update(transaction, from, ids);
        std::erase_if(rows, [now](const Job& row) { return is_locked(row, now); });
        MovePipeline moves(transaction, context, from, now);
        moves.decide(std::move(rows), transition_of);
        moves.write();
        moved = moves.leaving_ids();
    };
    context.runner.run(move, [&](Transaction& transaction) {
        return !is_any_in(transaction, from, moved);
    });
    return static_cast<std::int64_t>(moved.size());
}

}  // namespace

std::int64_t suspend_turns(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
) {
    std::int64_t count = 0;
    Page page;
    do {
        page = read_page(context.runner, scope, id, page.last_key);
        for (const JobPlace place : schema::kSuspendablePlaces) {
            const auto suspend = [place](const Job& row) { return schema::suspended(row, place); };
            count += move_turns(context, place, page.turns, suspend, now);
        }
    } while (page.is_full);
    return count;
}

std::int64_t activate_turns(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
) {
    std::int64_t count = 0;
    Page page;
    do {
        page = read_page(context.runner, scope, id, page.last_key);
        count += move_turns(context, JobPlace::suspended, page.turns, schema::activated, now);
    } while (page.is_full);
    return count;
}

}  // namespace jobstrand::persistence
