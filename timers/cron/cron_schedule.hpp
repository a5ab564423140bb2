#pragma once

#include "schema/time.hpp"
#include "timers/cron/cron_expression.hpp"
#include "timers/zone/zone.hpp"

#include <optional>

namespace jobstrand::timers {

/// What a cron text means on the days when the clocks of its zone change.
///
/// | clocks are set              | `quartz`            | `run_once`                              |
/// |-----------------------------|---------------------|-----------------------------------------|
/// | forward: a time is left out | not run that day    | run once, when the gap ends             |
/// | back: a time comes twice    | run at the second   | run at the first; intervals run at both |
///
/// So by `quartz` a text that runs every minute is silent for an hour when clocks are set back.
///
/// For `run_once` a text is an *interval* if it names two hours next to each other (`*`, `8-17`;
/// not `2`, `1,13` or `*/2`): it keeps its pace through the change. After a gap of up to an hour it
/// has nothing to make up for; after a longer one it runs when the gap ends, as all others do.
enum class DstRule { quartz, run_once };

/// The first time after `after` that `cron` names in `zone`: a whole second, or none before the end
/// of kLastCronYear. Never takes longer than a walk through all months up to there.
///
/// By DstRule::quartz it is what Quartz computes, also where a gap does not begin at a full hour:
/// there Quartz leaves out times that do exist.
[[nodiscard]] std::optional<schema::TimePoint>
next_time(const CronExpression& cron, const Zone& zone, DstRule rule, schema::TimePoint after);

}  // namespace jobstrand::timers
