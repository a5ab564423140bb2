#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/series_store.hpp"
#include "schema/clock.hpp"
#include "schema/paging.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::deadletter {

/// Whether timers wait for their due date, or are kept from it in the suspended place.
enum class TimerState { waiting, paused, all };

/// Which timers to list.
struct TimerQuery {
    TimerState state = TimerState::waiting;
    std::optional<std::string> group = {};  ///< Only turns that carry on a series of this group.
    persistence::JobFilter filter = {};     ///< Its `ids` are of no meaning where a group is given.
    std::string after = {};                 ///< An id, exclusive; empty: from the start.
    std::size_t limit = 100;
};

/// A timer, and what its series says if it is the turn that carries it on (R141).
struct FoundTimer {
    schema::PlacedJob placed;
    std::optional<persistence::SeriesSummary> series;
};

/// How an operator finds timers; nothing is changed. Throws DbError. Thread safety: safe. The
/// stores must outlive it.
class TimerSearch final {
public:
    TimerSearch(persistence::OperatorStore& store, persistence::SeriesStore& series_store)
        : store_(store), series_store_(series_store) {}

    /// Lists timers in id order.
    [[nodiscard]] schema::Page<FoundTimer> list(const TimerQuery& query) const;

    /// nullopt: the job carries no series on, or none that is stored.
    [[nodiscard]] std::optional<persistence::SeriesSummary> series_of(const schema::Job& job) const;

private:
    [[nodiscard]] std::vector<std::string> turns_of(const std::string& group) const;

    persistence::OperatorStore& store_;
    persistence::SeriesStore& series_store_;
};

/// What an operator does with series, many at a time.
enum class SeriesChange {
    pause,   ///< Their turns wait, suspended, until the series are resumed (R127).
    resume,  ///< The inverse. Refused while the group of a series is paused.
    fire,    ///< Runs an extra job of each now; the series goes on as it was.
    end,     ///< No further turn; what runs may finish.
    remove,  ///< Forgets series that have ended.
};

/// Whether a change has something to do about a series that was not named.
[[nodiscard]] bool concerns(SeriesChange change, persistence::SeriesCondition condition);

/// Which series a change means: these, or all of a group, or all.
struct SeriesSelection {
    std::vector<std::string> keys = {};     ///< Empty: all of the group.
    std::optional<std::string> group = {};  ///< nullopt: of all groups.
};

/// Series that are paused and resumed together, by name; the public one has its name.
struct SeriesGroup {
    std::int64_t series = 0;                             ///< Those that have not ended.
    std::optional<schema::TimePoint> paused_since = {};  ///< nullopt: it is not paused.
};

/// Calls `use` for all series that match, in the order of their keys.
void for_each_series(
    persistence::SeriesStore& store,
    const persistence::SeriesFilter& filter,
    const std::function<void(const persistence::SeriesSummary&)>& use
);

/// What an operator does with series, groups and calendars. Each series is changed in a transaction
/// of its own, under a watch.
///
/// Throws DbError; what was done before stays done. Thread safety: safe. The stores and the clock
/// must outlive it. The clock shows the database's time.
class SeriesAdmin final {
public:
    SeriesAdmin(
        persistence::OperatorStore& store,
        persistence::SeriesStore& series_store,
        const schema::Clock& clock
    )
        : store_(store), series_store_(series_store), clock_(clock) {}

    /// Lists series in the order of their keys, behind the key `after` (empty: from the start).
    [[nodiscard]] schema::Page<persistence::SeriesSummary>
    list(const persistence::SeriesFilter& filter, std::string_view after, std::size_t limit) const;

    /// A dry run: the series that a change means and concerns. Keys that name none are left out.
    [[nodiscard]] std::vector<persistence::SeriesSummary>
    select(const SeriesSelection& selection, SeriesChange change) const;

    /// Changes the series with these keys. What a change does not concern is refused, or done
    /// already.
    BulkCounts
    change(SeriesChange change, const std::vector<std::string>& keys, const BulkWatch& watch = {});

    /// See persistence::SeriesStore::reschedule_series, with its refusals. A series that has ended
    /// is refused.
    [[nodiscard]] ItemResult reschedule(const schema::Series& times);

    /// The groups of series that have not ended, and those that are paused (R144), by name.
    [[nodiscard]] std::map<std::string, SeriesGroup> groups() const;

    /// Deletes calendars that nothing uses; the others are refused.
    BulkCounts remove_calendars(const std::vector<std::string>& names, const BulkWatch& watch = {});

private:
    [[nodiscard]] ItemResult
    change_one(SeriesChange change, const persistence::SeriesSummary& series);
    [[nodiscard]] ItemResult resume(const schema::Series& series);

    persistence::OperatorStore& store_;
    persistence::SeriesStore& series_store_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
