#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace jobstrand {

/// Which jobs of its handlers' types an engine takes; all others are left to other nodes. An empty
/// list: any; an empty text in a list: jobs without one. Up to 100 values of each.
struct ServedScope {
    std::int64_t priority_min = std::numeric_limits<std::int64_t>::min();
    std::int64_t priority_max = std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> categories = {};
    std::vector<std::string> tenants = {};
    std::vector<std::string> definitions = {};  ///< Job::process_definition_id.

    bool operator==(const ServedScope&) const = default;
};

}  // namespace jobstrand
