#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace jobstrand::persistence {

/// Whole instances and definitions can be suspended, and the turns of series, by their key or by
/// their group.
enum class SuspensionScope { instance, definition, series, timer_group };

struct Suspension {
    SuspensionScope scope = SuspensionScope::instance;
    std::string id;
    schema::TimePoint since;
};

/// One line of `instance ls`.
struct InstanceSummary {
    std::string id;
    bool suspended = false;
    std::map<schema::JobPlace, std::int64_t> jobs;  ///< Only places that hold some.
};

}  // namespace jobstrand::persistence
