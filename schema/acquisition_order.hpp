#pragma once

#include "schema/job.hpp"
#include "schema/tables.hpp"
#include "schema/time.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace jobstrand::schema {

/// Which free jobs an executor takes first. Without any of these it is the cheap order, that of the
/// ids. They combine in Camunda's precedence (R048): the priority, then timers before others, then
/// the due date.
///
/// A timer is a job with a due date: one that was enqueued for later, or that waited before a
/// retry. Jobs with neither a due date nor a later rule to tell them apart come in the order of
/// their ids.
struct AcquisitionOrder {
    bool by_priority = false;   ///< The highest first (R045).
    bool timers_first = false;  ///< Those by their due dates, then the others by their ids (R046).
    bool by_due_date = false;   ///< The earliest first; without one, the creation counts (R047).

    /// Only with by_priority: one step of priority is worth so long a wait, counted from the due
    /// date or else the creation. So the lowest priority runs in the end, however many higher ones
    /// keep coming. 0: nothing ages (R015).
    Duration aging{0};

    /// Takes the oldest job of each tenant in turn, so that nobody waits behind the backlog of
    /// another. Excludes all other orders.
    bool tenants_in_turn = false;

    [[nodiscard]] bool is_any() const {
        return by_priority || timers_first || by_due_date || tenants_in_turn;
    }
    [[nodiscard]] bool ages() const { return by_priority && aging > Duration{0}; }

    /// Whether due dates matter, and not only priorities.
    [[nodiscard]] bool asks_for_due_dates() const { return timers_first || by_due_date || ages(); }

    bool operator==(const AcquisitionOrder&) const = default;
};

/// The place of a job in an order: the lesser one comes first, and of equal ones any.
struct OrderKey {
    std::int64_t rank = 0;      ///< By priority.
    bool is_immediate = false;  ///< It has no due date, and those that have one come first.
    TimePoint since = {};       ///< Since when it counts as waiting.

    auto operator<=>(const OrderKey&) const = default;
};

/// Since when a job counts as waiting under AcquisitionOrder::aging. Priorities so far from 0 that
/// their worth would be no time any more count as the last that is.
[[nodiscard]] inline TimePoint aged(TimePoint since, std::int64_t priority, Duration aging) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4 / aging.count();
    return since - aging * std::clamp(priority, -most, most);
}

[[nodiscard]] inline OrderKey order_key(const AcquisitionOrder& order, const Job& job) {
    // A job without any time is older than whatever has one.
    const TimePoint since = job.due_date.value_or(job.create_time.value_or(kEarliestInstant));
    OrderKey key;
    if (order.by_priority && !order.ages()) {
        key.rank = ~job.priority;  // Descending; the negative of the least number is none.
    }
    key.is_immediate = order.timers_first && !job.due_date;
    if (order.ages()) {
        key.since = aged(since, job.priority, order.aging);
    } else if (order.by_due_date || (order.timers_first && job.due_date)) {
        key.since = since;
    }
    return key;
}

/// The index without which this order is slow, and on MySQL an error. Precondition: it is any.
[[nodiscard]] inline const OptionalIndex& index_of(const AcquisitionOrder& order) {
    if (order.tenants_in_turn) {
        return kTenantIndex;
    }
    if (!order.by_priority) {
        return kDueIndex;
    }
    return order.asks_for_due_dates() ? kPriorityDueIndex : kPriorityIndex;
}

}  // namespace jobstrand::schema
