#pragma once

#include "schema/job.hpp"
#include "schema/job_transition.hpp"
#include "schema/log.hpp"
#include "schema/series.hpp"
#include "schema/text/parsing.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a series does when its turns move. The series, a turn, the turn's own transition and the
/// plan of the schedule go in; what becomes of the row, of the series and of the next turn comes
/// out. No I/O: persistence locks, asks for the plan, and writes the answer.
///
/// | the turn        | what happened                    | its row      | the series | next turn |
/// |-----------------|----------------------------------|--------------|------------|-----------|
/// | waits           | fell due or fired; overlap       | moves        | waiting    | inserted  |
/// | waits           | fell due or fired; no overlap    | moves, keeps | running    | -         |
/// | waits           | fell due or fired; was the last  | moves        | ended      | -         |
/// | waits           | fell due; is left out            | waits, keeps | waiting    | -         |
/// | waits           | fell due; left out, was the last | over         | ended      | -         |
/// | waits           | fell due; cannot be planned (!)  | moves        | ended      | -         |
/// | runs, carries   | its wait before a retry is over  | moves, keeps | as it was  | -         |
/// | runs, carries   | completed, carried on, died       | moves        | waiting    | inserted  |
/// | runs, carries   | the same, and was the last       | moves        | ended      | -         |
/// | any of a series | dead, and that stops the series  | as above     | paused (!) | as above  |
/// | runs            | freed; no recovery (!)          | as completed | the same   | the same  |
/// | runs            | freed; recovery                 | stays        | as it was  | -         |
/// | carries         | removed by an operator           | moves        | ended      | -         |
/// | waits           | its due date was changed         | -            | follows it | -         |
/// | is a copy       | fell due, completed, dead        | moves        | as it was  | -         |
/// | has no series   | fell due, completed, dead        | adopted, then as above                |
///
/// "carries": the turn has the REPEAT_. "keeps": so it stays; all others that move lose it. (!):
/// the log says so. Turns of what is suspended do not get here: with_suspension has sent them away.
namespace jobstrand::schema {

/// What becomes of the row of a turn.
enum class TurnOutcome {
    moves,  ///< It makes its own transition.
    waits,  ///< It stays a timer and gets the next due date of its series.
    over,   ///< It is deleted without having run.
    stays,  ///< It is left as it is.
};

/// A line for the log. It names the series, and the turn if that is what it is about.
struct SeriesNote {
    LogLevel level = LogLevel::warn;
    std::string_view message;
    bool is_about_turn = false;
    std::string error = {};  ///< Why the series has no next turn; empty: that is not the matter.

    bool operator==(const SeriesNote&) const = default;
};

struct SeriesTransition {
    TurnOutcome turn = TurnOutcome::moves;
    bool still_carries = false;         ///< false: the REPEAT_ of the row is cleared.
    std::optional<Series> series = {};  ///< As it is from now on; nullopt: as it was.
    std::optional<Job> next_turn = {};  ///< A timer; give_id() makes it the one that carries on.
    bool pauses = false;                ///< The series is suspended from now on.
    std::vector<SeriesNote> notes = {};
};

/// Whether this move of a job can mean something for a series. Only then lock and ask.
[[nodiscard]] bool concerns_series(const Job& job, TransitionReason reason);

/// Whether a job that moves so and has a REPEAT_, but no series, gets one first: an app or Flowable
/// inserted the row.
[[nodiscard]] bool is_adopted_by(const Job& job, TransitionReason reason);

/// Whether a turn and a series have only a name in common: the turn says of no series that it is
/// its own, and the series goes on with another turn, or has ended. An app inserted a row whose id
/// is the key of an older series.
[[nodiscard]] bool is_only_a_namesake(const Job& turn, const Series& series);

/// The series that begins with this turn. `begun` comes from SeriesSchedule::begin.
[[nodiscard]] Series begun_by(const Job& turn, Series begun, TimePoint now);

/// The line for a series that has no next turn, because its text or its plan is unusable.
[[nodiscard]] SeriesNote unplanned(const ParseError& error);

/// A question for SeriesSchedule::plan: the turn that waits for `due` is taken at `now`.
struct PlanQuestion {
    TimePoint due;
    TimePoint now;

    bool operator==(const PlanQuestion&) const = default;
};

/// What the schedule has to say before series_transition can; nullopt: nothing.
[[nodiscard]] std::optional<PlanQuestion>
question_for(const Series& series, const Job& turn, TransitionReason reason, TimePoint now);

/// The table of turns, at the top. `series` is null when the turn has none. `plan` answers the
/// question; without one it is not looked at, unless it is an error: then the row of the series
/// cannot be read, and a series that runs ends with its turn.
[[nodiscard]] SeriesTransition series_transition(
    const Series* series,
    const Job& turn,
    const Transition& transition,
    const std::optional<ParseResult<TurnPlan>>& plan,
    TimePoint now
);

/// An operator gave a turn another due date, or another value that its series keeps. nullopt: the
/// series does not change, or the turn does not carry it on.
[[nodiscard]] std::optional<Series> with_changed_turn(const Series& series, const Job& turn);

/// The next turn gets its id, and carries the series on.
void give_id(SeriesTransition& transition, std::string id);

// What people do with a whole series: begin it, give it other times, end it, run it once more.
// Pure, like series_transition. Texts and bounds are checked by who calls.
//
// | what happened                   | the waiting turn          | the series                 |
// |---------------------------------|---------------------------|----------------------------|
// | created                         | is its first one          | waiting                    |
// | given other times               | waits for its new date    | waiting                    |
// | given other times while it runs | -                         | running, with a later date |
// | its calendar was changed        | waits for its new date    | as it was                  |
// | its calendar leaves no date     | over                      | ended                      |
// | ended                           | over                      | ended                      |
//
// A turn that runs goes on in every case.

/// A series whose open fields are filled in from its first turn, as if no turn had ever fired.
[[nodiscard]] Series completed_by(Series series, const Job& first_turn);

/// The first turn, but for its REPEAT_.
[[nodiscard]] Job first_turn_of(const Series& series, Job turn);

/// The series with the texts of another, from `repeat` to `end`.
[[nodiscard]] Series with_times_of(Series series, const Series& times);

/// `begun`: the series with its new times, from SeriesSchedule::begin.
[[nodiscard]] SeriesTransition given_times(const Series& before, Series begun);

/// `next_due`: the due date of the next turn by the changed calendar; nullopt: there is none.
[[nodiscard]] SeriesTransition
calendar_changed(Series series, const std::optional<TimePoint>& next_due);

[[nodiscard]] SeriesTransition series_ended(Series series);

/// A job like the turn that can run now, and is not part of the succession.
[[nodiscard]] Job extra_job(Job turn, const Series& series, std::string id, TimePoint now);

}  // namespace jobstrand::schema
