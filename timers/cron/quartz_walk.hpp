#pragma once

#include "timers/cron/cron_expression.hpp"
#include "timers/zone/zone.hpp"

#include <chrono>
#include <optional>

namespace jobstrand::timers {

/// The first time from `earliest` on that `cron` names in `zone`, as Quartz finds it: by setting
/// the fields of a lenient calendar, field by field.
[[nodiscard]] std::optional<std::chrono::sys_seconds>
quartz_time_from(const CronExpression& cron, const Zone& zone, std::chrono::sys_seconds earliest);

}  // namespace jobstrand::timers
