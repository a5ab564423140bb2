#include "persistence/rows/fresh_ids.hpp"

#include <chrono>

namespace jobstrand::persistence {

std::string FreshIds::next() {
    const std::lock_guard lock(mutex_);
    // Only the order of these ids depends on the time, so any clock will do.
    return source_.next(std::chrono::floor<schema::Duration>(std::chrono::system_clock::now()));
}

}  // namespace jobstrand::persistence
