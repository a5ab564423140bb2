#pragma once

#include "timers/cron/cron_expression.hpp"
#include "timers/zone/zone.hpp"

#include <chrono>
#include <optional>

namespace jobstrand::timers {

/// The first time from `earliest` on that `cron` names in `zone` by DstRule::run_once.
[[nodiscard]] std::optional<std::chrono::sys_seconds>
run_once_time_from(const CronExpression& cron, const Zone& zone, std::chrono::sys_seconds earliest);

/// Whether the text names two hours next to each other, of which midnight and 23:00 are two.
[[nodiscard]] bool is_interval(const CronExpression& cron);

}  // namespace jobstrand::timers
