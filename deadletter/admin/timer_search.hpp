#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/series_store.hpp"
#include "schema/paging.hpp"

#include <cstddef>
#include <optional>
#include <string>
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

}  // namespace jobstrand::deadletter
