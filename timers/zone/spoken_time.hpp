#pragma once

#include "schema/text/parsing.hpp"
#include "schema/text/time_text.hpp"
#include "schema/time.hpp"
#include "timers/zone/zone.hpp"
#include "timers/zone/zone_time.hpp"

#include <optional>
#include <string_view>
#include <variant>

namespace jobstrand::timers {

/// The way a duration points that says nothing of it: `5m` as a due date is ahead, and as the time
/// when something has failed behind. docs/timers.md says which it is where.
enum class Toward { ahead, behind };

/// A day near today at a time of day: `tomorrow 09:00`, `14:00`.
struct NearDay {
    int days = 0;              ///< From today.
    schema::Duration time{0};  ///< On the wall clock.
};

/// So far from now: `5m`, `in 5 minutes`, `2h ago`, `now`.
struct FromNow {
    schema::IsoDuration distance;
    std::optional<Toward> toward = {};  ///< nullopt: it does not say.
};

/// A time as people say it:
///
/// | text                                            |                                            |
/// |-------------------------------------------------|--------------------------------------------|
/// | `2026-11-20T10:15:30Z`, `2026-11-20 10:15`      | see parse_timer_date; a blank may be the T |
/// | `14:00`, `today 14:00`, `tomorrow`, `yesterday` | a day without a time begins at midnight    |
/// | `5m`, `1h30m`, `PT5M`                           | the context knows the direction            |
/// | `in 5m`, `2 hours ago`, `now`                   |                                            |
///
/// A wall clock time is that of the context's zone, or of the zone behind it: `14:00
/// Europe/Berlin`.
struct SpokenTime {
    std::variant<TimerDate, NearDay, FromNow> what;
    std::optional<Zone> zone = {};

    /// Whether `now` matters.
    [[nodiscard]] bool is_relative() const { return !std::holds_alternative<TimerDate>(what); }

    /// nullopt: before 1970, or beyond schema::kLatestInstant.
    [[nodiscard]] std::optional<schema::TimePoint>
    at(const Zone& context, schema::TimePoint now, Toward bare = Toward::ahead) const;
};

/// Blanks around the text are not accepted.
[[nodiscard]] schema::ParseResult<SpokenTime> parse_spoken_time(std::string_view text);

}  // namespace jobstrand::timers
