#pragma once

#include "timers/cron/cron_schedule.hpp"
#include "timers/zone/zone.hpp"
#include "tools/parameters/parameter.hpp"
#include "tools/session/session.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace jobstrand::cli {

/// Which times `timer next` is asked for: those of a text, or the turns of a series.
struct NextTimes {
    std::optional<std::string> expression;
    std::optional<std::string> series;  ///< Its key.
    std::optional<timers::Zone> zone;   ///< nullopt: the series' own, or UTC.
    std::optional<timers::DstRule> rule;
    std::optional<std::string> calendar;
    std::optional<std::string> misfire;
    std::optional<std::string> start;
    std::optional<std::string> end;
    std::optional<std::string> after;
    std::size_t count = 5;
};

[[nodiscard]] Parameters<NextTimes> next_times_parameters();

/// One time per line, without a heading; `none` if there is none, in JSON an empty list. Opens no
/// database, unless it is asked for a series or a calendar.
[[nodiscard]] ExitCode show_next_times(Session& session, const NextTimes& asked);

}  // namespace jobstrand::cli
