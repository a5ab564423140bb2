#pragma once

#include "schema/job.hpp"
#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::schema {

/// The group of a series that names none.
inline constexpr std::string_view kDefaultSeriesGroup = "DEFAULT";

/// What a series does now. Whether it is paused is not part of it: that is a suspension.
enum class SeriesState {
    waiting,  ///< Its next turn waits for its due date.
    running,  ///< Without overlap only: a turn runs or waits for a retry, and the next one follows.
    ended,    ///< There is no further turn.
};

/// waiting, running, ended.
[[nodiscard]] std::string_view name_of(SeriesState state);
[[nodiscard]] std::optional<SeriesState> series_state_named(std::string_view name);

/// A job that repeats: what makes its turns, and how far it has come. One row of JS_SERIES; the
/// turns are jobs. An empty text stands for "not given".
///
/// **The turn that carries the series on.** Of all jobs of a live series exactly one has a REPEAT_:
/// `turn_id`. It is the waiting turn, or, without overlap, the one that runs. Whoever clears its
/// REPEAT_ inserts the next turn in the same transaction.
struct Series {
    std::string key = {};  ///< Stable; given by the user, or the id of the first turn.
    std::string group{kDefaultSeriesGroup};
    std::string description = {};
    std::string handler_type = {};

    // When. The texts are those of timers/; see docs/timers.md.
    std::string repeat = {};  ///< As given: a cycle or a cron text.
    std::string zone{"UTC"};
    std::string dst_rule{"quartz"};  ///< quartz, run-once.
    std::string calendar = {};       ///< Its name in JS_CALENDAR.
    std::string misfire = {};        ///< Empty: what its kind of text does by itself.
    std::optional<Duration> misfire_threshold = {};  ///< nullopt: the configured one.
    std::optional<TimePoint> start = {};             ///< Of a cycle: where its grid begins.
    std::optional<TimePoint> end = {};               ///< No turn is due after it.

    // How.
    bool overlap = true;     ///< false: the next turn waits until the one before has ended (R125).
    bool keep_data = false;  ///< A successful turn may hand a payload on (R126). No overlap then.
    bool recovery = true;    ///< false: a turn whose node died is not run again.
    bool stop_on_dead_letter = false;  ///< A dead letter pauses the series.
    int retries = kDefaultRetries;     ///< Of every turn.

    // What its turns have that no column of Flowable's holds: see give_back_to_turn().
    std::int64_t priority = 0;
    std::string retry_cycle = {};
    std::string root_process_instance_id = {};

    // How far.
    std::optional<std::int64_t> total_turns = {};  ///< nullopt: without end.
    std::int64_t turns_taken = 0;                  ///< Of total_turns; missed ones may count.
    std::int64_t fire_count = 0;                   ///< Turns that have been fired.
    std::optional<TimePoint> previous_fire = {};   ///< The due date of the last turn.
    std::optional<TimePoint> next_fire = {};       ///< The due date of the next one.
    SeriesState state = SeriesState::waiting;
    std::string turn_id = {};  ///< The job that carries it on.
    std::optional<TimePoint> create_time = {};

    bool operator==(const Series&) const = default;
};

/// The key of the series that a job with a REPEAT_ belongs to: rows that an app inserted itself do
/// not say it, and are the first turn of their own.
[[nodiscard]] inline const std::string& series_key_of(const Job& job) {
    return job.series.empty() ? job.id : job.series;
}

/// The series that a job with a REPEAT_ begins, with all settings at their defaults.
[[nodiscard]] Series series_of(const Job& first_turn);

/// The turn has these values now, and so have those that follow.
void keep_of_turn(Series& series, const Job& turn);

/// Gives a turn that has lost the columns that are not Flowable's what the series keeps of them.
void give_back_to_turn(const Series& series, Job& turn);

/// One sentence per field that its column cannot hold; empty: none.
[[nodiscard]] std::vector<std::string> problems_of(const Series& series);

/// Calendars by name; see docs/timers.md for the text.
using CalendarTexts = std::map<std::string, std::string, std::less<>>;

/// What becomes of a series when its turn has fallen due.
struct TurnPlan {
    bool fires = true;  ///< false: the misfire instruction says that the turn is left out.

    /// The due date of the turn that waits from then on; nullopt: the series has ended.
    std::optional<TimePoint> next_due = {};

    /// The series as it is then: its grid, its counts, its times, its state.
    Series series = {};
};

/// When series fire: what their texts mean. The job store asks it while it moves turns; timers/
/// answers. Pure: texts and times in, plans out.
///
/// `calendars` holds all calendars that there are. Texts come from people: what cannot be read is
/// answered by a ParseError, whose position is in Series::repeat, or 0 for another field.
///
/// Thread safety: every implementation is safe.
class SeriesSchedule {
public:
    virtual ~SeriesSchedule() = default;

    /// A new series, or one with new texts: its grid and counts begin anew. `due` is the due date
    /// of its first turn, if the caller chose one. The plan never fires and always has a next_due.
    [[nodiscard]] virtual ParseResult<TurnPlan> begin(
        const Series& series,
        const CalendarTexts& calendars,
        std::optional<TimePoint> due,
        TimePoint now
    ) const = 0;

    /// The turn that waits for `due` is taken at `now` (R127). Taken early, `now` counts as `due`.
    [[nodiscard]] virtual ParseResult<TurnPlan> plan(
        const Series& series,
        const CalendarTexts& calendars,
        TimePoint due,
        TimePoint now
    ) const = 0;

    /// The due date that these calendars give the turn that waits for `due`: the first time after
    /// now that they include. What is due already stays. nullopt: the series has ended.
    [[nodiscard]] virtual ParseResult<std::optional<TimePoint>> due_by_calendar(
        const Series& series,
        const CalendarTexts& calendars,
        TimePoint due,
        TimePoint now
    ) const = 0;

    /// REPEAT_ of the waiting turn, as Flowable writes it: `R2/2026-01-01T00:00:00Z/PT10H`.
    [[nodiscard]] virtual std::string repeat_of(const Series& series) const = 0;

    /// nullopt: the calendar, and those it is based on, can be read.
    [[nodiscard]] virtual std::optional<ParseError>
    problem_of_calendar(const std::string& name, const CalendarTexts& calendars) const = 0;

    /// Whether a calendar leaves out what another one does: it is `base`, or is based on it, also
    /// by way of others.
    [[nodiscard]] virtual bool hangs_on(
        std::string_view calendar,
        std::string_view base,
        const CalendarTexts& calendars
    ) const = 0;
};

}  // namespace jobstrand::schema
