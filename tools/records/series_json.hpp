#pragma once

#include "executor/enqueue/new_job.hpp"
#include "persistence/series_store.hpp"
#include "timers/zone/zone.hpp"
#include "tools/output/fields.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// A series, as `series ls` and `series show` write it. What it does not have is null.
[[nodiscard]] const Fields<persistence::SeriesSummary>& series_fields();

/// The part of it that a job does not say itself: what stands behind the job's own fields when it
/// is shown as a timer. nullopt: the same fields without values.
[[nodiscard]] const Fields<persistence::SeriesSummary>& timer_fields();
[[nodiscard]] Record
timer_fields_of(const std::optional<persistence::SeriesSummary>& summary, const timers::Zone& zone);

/// A member of a job in JSON that is about the series which the job begins.
struct SeriesMember {
    std::string_view name;
    std::string (*read)(std::string_view value, executor::NewJob& into);  ///< See json_text.hpp.
    bool needs_repeat = true;  ///< false: jobs that do not repeat may have it as well.
};

[[nodiscard]] std::span<const SeriesMember> series_members();

}  // namespace jobstrand::cli
