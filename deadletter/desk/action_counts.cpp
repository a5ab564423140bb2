#include "deadletter/desk/action_counts.hpp"

#include <algorithm>

namespace jobstrand::deadletter {

void ActionCounts::add(std::string_view action, std::string_view result, std::int64_t changed) {
    Kind kind{.action = std::string(action), .result = std::string(result)};
    const std::scoped_lock lock(mutex_);
    if (counts_.size() == kMost && !counts_.contains(kind)) {
        return;
    }
    Count& count = counts_[std::move(kind)];
    ++count.actions;
    count.changed += static_cast<std::uint64_t>(std::max<std::int64_t>(changed, 0));
}

ActionCounts::Counts ActionCounts::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

}  // namespace jobstrand::deadletter
