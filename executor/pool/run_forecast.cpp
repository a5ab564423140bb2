#include "executor/pool/run_forecast.hpp"

#include <algorithm>

namespace jobstrand::executor {

namespace {

/// The part that the last run has in the mean: after a change of work, a few dozen runs tell.
constexpr int kPartOfLast = 16;

}  // namespace

void RunForecast::ended(std::chrono::nanoseconds run) {
    mean_ = mean_ ? *mean_ + (run - *mean_) / kPartOfLast : run;
}

void RunForecast::takes_at_least(std::chrono::nanoseconds run) {
    mean_ = std::max(mean_.value_or(run), run);
}

std::size_t RunForecast::starts(std::size_t workers) const {
    if (!mean_) {
        return 0;
    }
    const std::chrono::nanoseconds run = std::max(*mean_, std::chrono::nanoseconds(1));
    return workers * static_cast<std::size_t>(std::chrono::nanoseconds(ahead_) / run);
}

}  // namespace jobstrand::executor
