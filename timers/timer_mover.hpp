#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/backlog_cursor.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/timer_store.hpp"
#include "schema/clock.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace jobstrand::timers {

/// Moves timers that fall due to the executable place. It sleeps until the next due time that it
/// knows of, so a timer fires at its millisecond; timers that other processes insert are seen
/// within `wait`. While the intake has room, due jobs that this node serves arrive locked and are
/// handed over at once. In a backlog each page begins with the due date that the last one ended
/// with (see BacklogCursor).
///
/// A backlog is moved in rounds: of the turns that series make while a round lasts, none moves in
/// it. So each series that catches up gets one turn, and then it is the turn of the others.
///
/// Thread safety: run_once() belongs to the loop's strand.
class TimerMover final : public executor::Activity {
public:
    struct Settings {
        std::size_t page = 512;
        schema::Duration wait{std::chrono::seconds(1)};
        schema::Duration fire_ahead{0};  ///< With a due timer go those due within this time (R118).
    };

    struct Dependencies {
        persistence::TimerStore& store;
        executor::JobIntake& intake;
        const schema::Clock& clock;
        const executor::WakeUps& wake_ups;
    };

    TimerMover(Dependencies dependencies, Settings settings)
        : use_(dependencies), settings_(settings) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "timer mover"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    [[nodiscard]] std::size_t move_page();

    const Dependencies use_;
    const Settings settings_;
    executor::BacklogCursor<std::optional<schema::TimePoint>> cursor_;  ///< A due date.
    std::optional<schema::TimePoint> round_;  ///< When it began; none: the next page begins one.
};

}  // namespace jobstrand::timers
