#pragma once

#include "persistence/series_store.hpp"
#include "timers/zone/zone.hpp"
#include "tools/jobstrand/json/new_job.hpp"
#include "tools/jobstrand/output/record.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// A series in JSON, as `series ls` and `series show` write it:
///
/// series, group, description, handlerType, repeat, state, previousFire, nextFire, fireCount, zone,
/// dst, calendar, start, end, misfire, misfireThreshold, overlap, keepData, recovery,
/// stopOnDeadLetter, retries, totalTurns, turnsTaken, turnId, createTime, unreadableSeries.
///
/// All of them are always written; what a series does not have is null. Times are shown in `zone`.
[[nodiscard]] Record record_of(const persistence::SeriesSummary& summary, const timers::Zone& zone);

/// The part of it that a job does not say itself: what stands behind the job's own fields when it
/// is shown as a timer. nullopt: the same fields without values.
[[nodiscard]] Record
timer_fields_of(const std::optional<persistence::SeriesSummary>& summary, const timers::Zone& zone);

/// A member of a job in JSON that is about the series which the job begins.
struct SeriesMember {
    std::string_view name;
    std::string (*read)(std::string_view value, NewJob& into);  ///< See member_values.hpp.
    bool needs_repeat = true;  ///< false: jobs that do not repeat may have it as well.
};

[[nodiscard]] std::span<const SeriesMember> series_members();

}  // namespace jobstrand::cli
