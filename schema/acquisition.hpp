#pragma once

#include "schema/job.hpp"
#include "schema/tables.hpp"
#include "schema/time.hpp"

#include <jobstrand/served_scope.hpp>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::schema {

/// Which jobs of its handler types a node takes, and leaves all others to other nodes (I7): of
/// these priorities (R053), both ends included, and of each field one of the listed values, where
/// any are listed (R100, R102; Flowable's enabledJobCategories).
using jobstrand::ServedScope;

/// One of the lists of a scope.
struct ScopeList {
    std::string Job::*field;
    std::vector<std::string> ServedScope::*values;
};

inline constexpr std::array kScopeLists{
    ScopeList{&Job::category, &ServedScope::categories},
    ScopeList{&Job::tenant_id, &ServedScope::tenants},
    ScopeList{&Job::process_definition_id, &ServedScope::definitions},
};

[[nodiscard]] inline bool contains_priority(const ServedScope& scope, std::int64_t priority) {
    return scope.priority_min <= priority && priority <= scope.priority_max;
}

[[nodiscard]] inline bool has_all_priorities(const ServedScope& scope) {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return scope.priority_min == kLeast && scope.priority_max == kMost;
}

[[nodiscard]] inline bool is_all(const ServedScope& scope) {
    return scope == ServedScope{};
}

[[nodiscard]] inline bool contains(const ServedScope& scope, const Job& job) {
    return contains_priority(scope, job.priority) &&
           std::ranges::all_of(kScopeLists, [&](const ScopeList& list) {
               const std::vector<std::string>& values = scope.*list.values;
               return values.empty() || std::ranges::count(values, job.*list.field) > 0;
           });
}

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

/// What a node locks when it takes jobs. All nodes of a database must agree.
enum class LockGranularity {
    row,   ///< The row of each job says who holds it, which any engine on the tables understands.
    page,  ///< One row of JS_CLAIM names all plain jobs of a page.
};

[[nodiscard]] constexpr std::string_view name_of(LockGranularity granularity) {
    return granularity == LockGranularity::page ? "page" : "row";
}

/// nullopt: there is no such name.
[[nodiscard]] constexpr std::optional<LockGranularity> lock_granularity_of(std::string_view name) {
    if (name == name_of(LockGranularity::row)) {
        return LockGranularity::row;
    }
    return name == name_of(LockGranularity::page) ? std::optional(LockGranularity::page)
                                                  : std::nullopt;
}

/// Where a node runs.
struct NodeAddress {
    std::string host;
    std::int64_t process = 0;

    bool operator==(const NodeAddress&) const = default;
};

/// Characters of a host name that are told; Linux allows no more.
inline constexpr std::size_t kHostLength = 64;

/// Tells a node from all others, also from those that had its process number before.
using NodeRandom = std::array<std::uint64_t, 2>;

/// The lock owner of a node whose name nobody has configured: `HOST:PROCESS:RANDOM`, at most 118
/// characters of ASCII. What no host name may hold becomes `-`.
[[nodiscard]] std::string lock_owner_of(const NodeAddress& node, const NodeRandom& random);

/// The inverse; nullopt: the name was configured, or is Flowable's.
[[nodiscard]] std::optional<NodeAddress> node_of(std::string_view lock_owner);

}  // namespace jobstrand::schema
