#pragma once

#include "schema/job.hpp"
#include "schema/series/series.hpp"
#include "schema/series/series_transition.hpp"

#include <optional>
#include <string>

/// What people do with a whole series: begin it, give it other times, end it, run it once more.
/// Pure, like series_transition. Texts and bounds are checked by who calls.
///
/// | what happened                   | the waiting turn          | the series                 |
/// |---------------------------------|---------------------------|----------------------------|
/// | created                         | is its first one          | waiting                    |
/// | given other times               | waits for its new date    | waiting                    |
/// | given other times while it runs | -                         | running, with a later date |
/// | its calendar was changed        | waits for its new date    | as it was                  |
/// | its calendar leaves no date     | over                      | ended                      |
/// | ended                           | over                      | ended                      |
///
/// A turn that runs goes on in every case.
namespace jobstrand::schema {

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
