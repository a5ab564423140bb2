#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/scan_start.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/timer_store.hpp"
#include "schema/clock.hpp"
#include "timers/due_start.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace jobstrand::timers {

/// Moves timers that fall due to the executable place. It sleeps until the next due time that it
/// knows of, so a timer fires at its millisecond; timers that other processes insert are seen
/// within `wait`.
///
/// Due jobs that this node serves arrive locked and are handed over at once, so that they start in
/// the order in which they are due: free jobs are acquired in the order of their ids. Therefore
/// only so many are moved as the intake has room for. The others stay where they are, for any node
/// that has room, until this one is woken because it has. Timers that this node does not serve do
/// not wait for that, and where the order of acquisition is to decide nothing does.
///
/// While the node is idle its acquisition sees when the next timer is due (see LastView), and the
/// mover asks nothing.
///
/// A backlog is moved in rounds, each page behind the last one (see DueStart). The server has
/// nothing to do while the node reads a page, nor the node while the server writes: so a second
/// loop (beside()) moves pages of a backlog too, as long as there is room for two of them. What
/// these hand over may be a page out of order.
///
/// Thread safety: run_once() belongs to the loop's strand and beside().run_once() to that of
/// another; the others are safe.
class TimerMover final : public executor::Activity {
public:
    struct Settings {
        std::size_t page = 1000;
        schema::Duration wait{std::chrono::seconds(1)};
        schema::Duration fire_ahead{0};  ///< With a due timer go those due within this time (R118).
    };

    struct Dependencies {
        persistence::TimerStore& store;
        executor::JobIntake& intake;
        const schema::Clock& clock;
        const executor::WakeUps& wake_ups;
        const executor::LastView* view = nullptr;
    };

    TimerMover(Dependencies dependencies, Settings settings)
        : use_(dependencies), settings_(settings) {}

    /// Call before the first pass: it shall look for timers that are recently due before it looks
    /// at all, because the database may keep millions of deleted rows in front of them.
    void search_first() { searches_ = true; }

    [[nodiscard]] std::string_view name() const noexcept override { return "timer mover"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// Moves pages beside run_once() when it is woken (WakeUps::due_timers_pile_up).
    [[nodiscard]] executor::Activity& beside() noexcept { return beside_; }

    /// A timer was stored that is due then. If that is earlier than where the next page of a
    /// backlog would begin, it begins at the oldest.
    void timer_was_stored(schema::TimePoint due) noexcept;

    /// A timer was stored, and nobody here knows when it is due.
    void look_again() noexcept;

    /// Others may have stored timers, or jobs, for which the acquisition was woken as well.
    void others_may_have_stored() noexcept;

    /// Whether due timers wait for room: then room is a reason to wake it.
    [[nodiscard]] bool awaits_room() const noexcept { return awaits_room_; }

    /// How many timers it has moved since it began.
    [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }

private:
    [[nodiscard]] std::optional<schema::TimePoint> first_due();
    [[nodiscard]] bool search_for_recent();
    [[nodiscard]] std::optional<executor::LastView::NextDue> due_as_seen() const;
    [[nodiscard]] schema::Duration until_view();
    [[nodiscard]] bool is_view_to_come();
    [[nodiscard]] std::optional<persistence::PageLimit> ask_for_room();
    void begin_at_the_oldest_if_need_be();
    [[nodiscard]] std::size_t
    move_page(const DueLook& look, const std::optional<persistence::PageLimit>& room);
    [[nodiscard]] persistence::DueTimers move_found(
        const DueLook& look,
        persistence::DueWindow window,
        const persistence::PageLimit& limit,
        const std::optional<persistence::LockClaim>& claim
    );
    [[nodiscard]] schema::Duration move_beside();
    [[nodiscard]] schema::Duration move_others();
    void hand_over(persistence::DueTimers due, schema::SteadyPoint locked_at);

    const Dependencies use_;
    const Settings settings_;

    // Touched only on the strand.
    bool searches_ = false;                             ///< See search_first().
    std::optional<schema::SteadyPoint> put_off_until_;  ///< A first look at all: see FullLooks.
    /// No free timer was due before; none: nobody has looked. See FullLooks.
    std::optional<schema::TimePoint> none_before_;
    std::optional<schema::TimePoint> first_due_;  ///< By the last look, and stored since.
    schema::Duration look_age_{0};                ///< Of that look, at that pass.
    bool is_waiting_for_view_ = false;
    executor::FullLooks full_looks_;
    /// Up to here, all due timers that wait have been seen to be served; none: nobody has looked.
    std::optional<schema::TimePoint> only_served_until_;
    schema::SteadyPoint looked_at_all_ = schema::SteadyPoint::min();

    // Thread-safe.
    DueStart start_;
    std::atomic<std::uint64_t> moved_{0};
    std::atomic<bool> awaits_room_{false};
    std::atomic<schema::TimePoint> earliest_stored_{schema::TimePoint::max()};  ///< Since a page.
    std::atomic<schema::SteadyPoint> news_at_{schema::SteadyPoint::min()};      ///< The last ones.
    std::atomic<bool> is_news_of_others_{false};

    executor::NamedPass beside_{"second timer mover", [this] { return move_beside(); }};
};

}  // namespace jobstrand::timers
