#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace jobstrand::executor {

/// What has become of jobs and the database does not take, as it is now.
struct RefusedNow {
    std::size_t outcomes = 0;
    std::set<std::string> types = {};  ///< Of handlers.
};

}  // namespace jobstrand::executor
