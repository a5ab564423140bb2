#pragma once

#include "schema/series.hpp"

#include <jobstrand/job.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

struct StoreContext;

/// What an operator sees of a series now; schema::SeriesState is what its row says, which does not
/// know whether it is paused.
using SeriesCondition = jobstrand::SeriesState;

using jobstrand::name_of;
[[nodiscard]] std::optional<SeriesCondition> series_condition_named(std::string_view name);

/// One line of `series ls`. The public StoredSeries has the same without what only the store needs.
struct SeriesSummary {
    schema::Series series;
    SeriesCondition condition = SeriesCondition::waiting;

    /// Names each column that cannot be read, and its value; what the series has there is what a
    /// new one has. Empty: all can be read.
    std::string complaint = {};

    bool operator==(const SeriesSummary&) const = default;
};

/// Which series; what is not set does not matter.
struct SeriesFilter {
    std::optional<std::string> group = {};
    std::optional<SeriesCondition> condition = {};
};

struct StoredCalendar {
    std::string name;
    std::string text;

    bool operator==(const StoredCalendar&) const = default;
};

/// What came of a change to a series. Only `done` changed something.
enum class SeriesAnswer {
    done,
    not_found,
    locked,     ///< A node holds a live lock on the waiting turn.
    not_ended,  ///< Only a series that has ended can be removed.
};

/// What came of the removal of a calendar. Only `done` changed something.
enum class CalendarAnswer {
    done,
    not_found,
    in_use,  ///< By a series that has not ended, or by another calendar.
};

/// What an operator does with repeating jobs: series, and the calendars that they leave out. The
/// turns themselves are jobs. Series are paused and resumed at the OperatorStore, and created by
/// enqueuers. See Transactions for what holds for all roles.
///
/// Texts that cannot be read, unknown calendars, and values that no column holds are refused with
/// std::invalid_argument, one sentence that says what is wrong; then nothing was changed.
///
/// A series whose row cannot be read has its next turn, and ends with it. Until then it is listed
/// with a complaint; rescheduled or ended, its row is whole again.
class SeriesStore final {
public:
    explicit SeriesStore(const StoreContext& context) : context_(context) {}

    /// Lists series in the order of their keys, after the key `after` (exclusive; empty: from the
    /// start).
    [[nodiscard]] std::vector<SeriesSummary>
    list_series(const SeriesFilter& filter, std::string_view after, std::size_t limit);

    /// How many series of each group have not ended; groups without such series are left out.
    [[nodiscard]] std::map<std::string, std::int64_t> count_groups();

    /// nullopt: no such series.
    [[nodiscard]] std::optional<SeriesSummary> find_series(std::string_view key);

    /// Gives a series new texts: those of `times` from `repeat` to `end`. Its grid and its count of
    /// turns begin anew; group, options and state stay (a paused one stays paused, R145), and a
    /// turn that is running goes on. done; not_found: no such series, or it has ended; locked.
    [[nodiscard]] SeriesAnswer
    reschedule_series(const schema::Series& times, schema::TimePoint now);

    /// Runs an extra job like the series' turns now; the series goes on as if nothing had been.
    /// Returns the job's id; nullopt: no such series, or it has no turn to copy (it has ended).
    [[nodiscard]] std::optional<std::string>
    fire_series(std::string_view key, schema::TimePoint now);

    /// The keys of series that have not ended and have no turn, in their order: somebody has
    /// deleted the row, and they would stand still for ever. Those up to a key (empty: all) are
    /// looked at: each costs a look for its turn.
    [[nodiscard]] std::vector<std::string>
    series_without_turn(std::string_view up_to, std::size_t limit);

    /// Gives such a series its turn back, with the due date that it had: it is like the last other
    /// job of the series that is still there, and without a payload if there is none. The log says
    /// which. Returns the job's id; nullopt: it has its turn, or it has ended, or there is no such
    /// series.
    [[nodiscard]] std::optional<std::string>
    restore_turn(std::string_view key, schema::TimePoint now);

    /// Removes the waiting turn; what runs may finish. The row stays, as ended. done (also if it
    /// had ended), not_found, locked.
    [[nodiscard]] SeriesAnswer end_series(std::string_view key, schema::TimePoint now);

    /// Deletes the row of a series that has ended. done, not_found, not_ended.
    [[nodiscard]] SeriesAnswer remove_series(std::string_view key);

    /// Stores a calendar, new or changed, and moves the waiting turns of all series that use it,
    /// also by way of another calendar, in the same transaction. Returns how many turns moved. A
    /// series with an end that has no time left before it ends; a text that would leave one without
    /// an end never due again is refused.
    std::size_t put_calendar(const StoredCalendar& calendar, schema::TimePoint now);

    /// Returns all calendars in the order of their names.
    [[nodiscard]] std::vector<StoredCalendar> calendars();

    [[nodiscard]] CalendarAnswer remove_calendar(std::string_view name);

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
