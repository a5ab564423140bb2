#include "tools/handlers/place_faults.hpp"

#include <algorithm>
#include <chrono>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using schema::Duration;

constexpr Duration kShortestWait = 5s;
constexpr Duration kLongestWait = 5min;

}  // namespace

void count_time_out(HandlerCounts* counts) {
    if (counts != nullptr) {
        counts->timed_out.fetch_add(1);
    }
}

Duration within_deadline(
    Duration limit,
    const std::optional<schema::TimePoint>& deadline,
    schema::TimePoint now
) {
    return deadline ? std::clamp<Duration>(*deadline - now, Duration{0}, limit) : limit;
}

executor::Interrupted PlaceFaults::put_off(std::string_view what, std::string_view why) {
    const schema::SteadyPoint now = clock_.steady_now();
    bool is_new = false;
    Duration lasted{0};
    {
        const std::lock_guard lock(mutex_);
        const auto [fault, inserted] = since_.try_emplace(std::string(what), now);
        is_new = inserted;
        lasted = std::chrono::floor<Duration>(now - fault->second);
        is_any_ = true;
    }
    if (is_new) {
        log_.write(
            schema::LogLevel::warn,
            "jobs cannot begin on this node; they are given back without an attempt",
            {{"what", std::string(what)}, {"reason", std::string(why)}}
        );
    }
    return {.wait = std::clamp(lasted, kShortestWait, kLongestWait)};
}

void PlaceFaults::began(std::string_view what) {
    if (!is_any_.load(std::memory_order_relaxed)) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        const auto fault = since_.find(what);
        if (fault == since_.end()) {
            return;
        }
        since_.erase(fault);
        is_any_ = !since_.empty();
    }
    log_.write(
        schema::LogLevel::info, "jobs can begin on this node again", {{"what", std::string(what)}}
    );
}

}  // namespace jobstrand::cli
