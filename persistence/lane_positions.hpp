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

/// Jobs that stand one behind the other in the index of an order. An order takes one lane after the
/// other, or of several the job that comes first.
struct Lane {
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

    auto operator<=>(const Lane&) const = default;
};

/// The last job of a lane that was taken.
struct LanePosition {
    std::string id;
    std::optional<schema::TimePoint> due_date = {};

    bool operator==(const LanePosition&) const = default;
};

using LanePositions = std::map<Lane, LanePosition>;

[[nodiscard]] inline Lane lane_of(const schema::AcquisitionOrder& order, const schema::Job& job) {
    if (order.tenants_in_turn) {
        return {.kind = Lane::Kind::of_tenant, .tenant = job.tenant_id};
    }
    const std::int64_t priority = order.by_priority ? job.priority : 0;
    if (!order.asks_for_due_dates()) {
        return {priority, Lane::Kind::by_id};
    }
    return {priority, job.due_date ? Lane::Kind::due : Lane::Kind::immediate};
}

/// Where a lane goes on behind this job.
[[nodiscard]] inline LanePosition position_of(const schema::Job& job) {
    return {job.id, job.due_date};
}

}  // namespace jobstrand::persistence
