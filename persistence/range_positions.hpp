#pragma once

#include "schema/acquisition_order.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace jobstrand::persistence {

/// Jobs that stand one behind the other in the index of an order. An order takes one range after
/// the other, or of several the job that comes first.
struct IndexRange {
    enum class Kind {
        by_id,      ///< All of a priority, by id: where due dates do not matter.
        due,        ///< Those with a due date, by it and then by id.
        immediate,  ///< Those without, by id.
        of_tenant,  ///< Those of a tenant, by id.
        no_tenant,  ///< Those without any, by id: where SQL wrote NULL.
    };

    std::int64_t priority = 0;  ///< 0 in orders that do not ask for it.
    Kind kind = Kind::by_id;
    std::string tenant = {};

    auto operator<=>(const IndexRange&) const = default;
};

/// The last job of a range that was taken.
struct RangePosition {
    std::string id;
    std::optional<schema::TimePoint> due_date = {};

    bool operator==(const RangePosition&) const = default;
};

using RangePositions = std::map<IndexRange, RangePosition>;

[[nodiscard]] inline IndexRange
range_of(const schema::AcquisitionOrder& order, const schema::Job& job) {
    if (order.tenants_in_turn) {
        return {.kind = IndexRange::Kind::of_tenant, .tenant = job.tenant_id};
    }
    const std::int64_t priority = order.by_priority ? job.priority : 0;
    if (!order.asks_for_due_dates()) {
        return {priority, IndexRange::Kind::by_id};
    }
    return {priority, job.due_date ? IndexRange::Kind::due : IndexRange::Kind::immediate};
}

/// Where a range goes on behind this job.
[[nodiscard]] inline RangePosition position_of(const schema::Job& job) {
    return {job.id, job.due_date};
}

}  // namespace jobstrand::persistence
