#pragma once

#include "persistence/job_store.hpp"
#include "schema/series.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What an operator sees of a series now.
enum class SeriesCondition { waiting, running, paused, ended };

/// waiting, running, paused, ended.
[[nodiscard]] std::string_view name_of(SeriesCondition condition);
[[nodiscard]] std::optional<SeriesCondition> series_condition_named(std::string_view name);

/// One line of `series ls`.
struct SeriesSummary {
    schema::Series series;
    SeriesCondition condition = SeriesCondition::waiting;

    bool operator==(const SeriesSummary&) const = default;
};

/// Which series; what is not set does not matter.
struct SeriesFilter {
    std::optional<std::string> group = {};
    std::optional<SeriesCondition> condition = {};
};

/// A series and the job that is its first turn. The job needs a handler type and an id; if it has a
/// due date, that is the first turn's. The series needs its texts and options; what it has counted
/// is ignored. Empty in the series, these come from the job: key (its id), handler type, `repeat`,
/// retries (unless they were set).
struct NewSeries {
    schema::Series series;
    schema::Job first_turn;

    /// The series is paused by itself before its first turn is stored, which so waits (R145).
    bool starts_paused = false;
};

struct StoredCalendar {
    std::string name;
    std::string text;

    bool operator==(const StoredCalendar&) const = default;
};

/// Repeating jobs: series, and the calendars that they leave out. Beside JobStore, and with its
/// rules for errors, transactions and threads; the conformance suite says what each operation
/// promises. The turns themselves are jobs: JobStore moves them.
///
/// A series, or a group of them, is paused and resumed as instances are: JobStore::suspend and
/// activate with SuspensionScope::series (by key) or timer_group (by name); a group needs no series
/// yet, and new series in a paused group start paused. JobStore::suspensions lists both. A paused
/// series keeps its waiting turn in the suspended place; on resume its misfire instruction says
/// what becomes of the turns that were missed (R127, R144-R147).
///
/// Texts that cannot be read, unknown calendars, and values that no column holds are refused with
/// std::invalid_argument, one sentence that says what is wrong; then nothing was changed.
class SeriesStore {
public:
    virtual ~SeriesStore() = default;

    /// Stores series with their first turns in the caller's transaction; nothing is visible before
    /// the commit. Returns the first turns as they were stored: in the timer place, or suspended.
    /// Throws DbError duplicate_key when a key or an id exists.
    virtual std::vector<schema::PlacedJob>
    create(Transaction& transaction, std::vector<NewSeries> series, schema::TimePoint now) = 0;

    /// The same in a transaction of its own: all or none.
    virtual std::vector<schema::PlacedJob>
    create(std::vector<NewSeries> series, schema::TimePoint now) = 0;

    /// In the order of the keys, after the key `after` (exclusive; empty: from the start).
    [[nodiscard]] virtual std::vector<SeriesSummary>
    list_series(const SeriesFilter& filter, std::string_view after, std::size_t limit) = 0;

    /// nullopt: no such series.
    [[nodiscard]] virtual std::optional<SeriesSummary> find_series(std::string_view key) = 0;

    /// Gives a series new texts: those of `times` from `repeat` to `end`. Its grid and its count of
    /// turns begin anew; group, options and state stay (a paused one stays paused, R145), and a
    /// turn that is running goes on. done; not_found: no such series, or it has ended; locked:
    /// another engine has just taken the waiting turn.
    [[nodiscard]] virtual Answer
    reschedule_series(const schema::Series& times, schema::TimePoint now) = 0;

    /// Runs an extra job like the series' turns now; the series goes on as if nothing had been.
    /// Returns the job's id; nullopt: no such series, or it has no turn to copy (it has ended).
    [[nodiscard]] virtual std::optional<std::string>
    fire_series(std::string_view key, schema::TimePoint now) = 0;

    /// Removes the waiting turn; what runs may finish. The row stays, as ended. done (also if it
    /// had ended), not_found, locked.
    [[nodiscard]] virtual Answer end_series(std::string_view key, schema::TimePoint now) = 0;

    /// Deletes the row of a series that has ended. done, not_found; locked: it has not ended.
    [[nodiscard]] virtual Answer remove_series(std::string_view key) = 0;

    /// Stores a calendar, new or changed, and moves the waiting turns of all series that use it,
    /// also by way of another calendar, in the same transaction. Returns how many turns moved.
    virtual std::size_t put_calendar(const StoredCalendar& calendar, schema::TimePoint now) = 0;

    /// In the order of their names.
    [[nodiscard]] virtual std::vector<StoredCalendar> calendars() = 0;

    /// done, not_found; locked: a series that has not ended, or another calendar, uses it.
    [[nodiscard]] virtual Answer remove_calendar(std::string_view name) = 0;
};

}  // namespace jobstrand::persistence
