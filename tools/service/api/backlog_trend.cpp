#include "tools/service/api/backlog_trend.hpp"

#include <cmath>

namespace jobstrand::service {

void BacklogTrend::note(schema::TimePoint time, std::int64_t jobs) {
    if (!seen_.empty() && time <= seen_.back().time) {
        return;
    }
    seen_.push_back({.time = time, .jobs = jobs});
    while (seen_.front().time < time - kWindow) {
        seen_.pop_front();
    }
}

std::optional<double> BacklogTrend::growth() const {
    if (seen_.empty() || seen_.back().time - seen_.front().time < kLeast) {
        return std::nullopt;
    }
    const auto more = static_cast<double>(seen_.back().jobs - seen_.front().jobs);
    const std::chrono::duration<double> time = seen_.back().time - seen_.front().time;
    return std::round(more / time.count() * 10) / 10;
}

}  // namespace jobstrand::service
