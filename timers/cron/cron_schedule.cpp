#include "timers/cron/cron_schedule.hpp"

#include "timers/cron/quartz_walk.hpp"
#include "timers/cron/run_once_walk.hpp"

#include <algorithm>

namespace jobstrand::timers {
namespace {

std::optional<std::chrono::sys_seconds> time_from(
    const CronExpression& cron,
    const Zone& zone,
    DstRule rule,
    std::chrono::sys_seconds earliest
) {
    switch (rule) {
        case DstRule::quartz:
            return quartz_time_from(cron, zone, earliest);
        case DstRule::run_once:
            break;
    }
    return run_once_time_from(cron, zone, earliest);
}

}  // namespace

std::optional<schema::TimePoint>
next_time(const CronExpression& cron, const Zone& zone, DstRule rule, schema::TimePoint after) {
    // Nothing fires before the first year; a day of room for the zones ahead of UTC.
    const schema::TimePoint from =
        std::clamp(after, schema::kEarliestInstant - std::chrono::days{1}, schema::kLatestInstant);
    const auto earliest = std::chrono::floor<std::chrono::seconds>(from) + std::chrono::seconds{1};
    const auto time = time_from(cron, zone, rule, earliest);
    if (!time) {
        return std::nullopt;
    }
    return schema::TimePoint{*time};
}

}  // namespace jobstrand::timers
