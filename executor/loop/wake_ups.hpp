#pragma once

#include "schema/time.hpp"

#include <functional>

namespace jobstrand::executor {

/// Through which the parts of a node wake each other. Whoever brings something tells it here, and
/// who sleeps until then looks for it at once. So no part knows another one.
///
/// A wake-up is never needed: every sleeper but those of outcomes, groups and dead nodes also looks
/// from time to time.
///
/// Thread safety: telling is safe and does not block. The sleepers are set before the first part
/// tells anything.
class WakeUps final {
public:
    /// The functions that wake sleepers; an empty one wakes nobody. They must not block.
    struct Sleepers {
        std::function<void()> acquisition;
        std::function<void()> acquisition_beside;
        std::function<void()> timers_without_room;
        std::function<void(schema::TimePoint due)> timer_mover;
        std::function<void()> timers_of_others;
        std::function<void()> timers_beside;
        std::function<void()> completion;
        std::function<void()> completion_beside;
        std::function<void()> groups;
        std::function<void()> limits;
        std::function<void()> listener;
        std::function<void()> unserved;
        std::function<void()> external_workers;
        std::function<void()> dead_nodes;
    };
    Sleepers sleepers;

    /// Free jobs stand in the table.
    void jobs_are_there() const { wake(sleepers.acquisition); }

    /// More of them than one page.
    void backlog_is_there() const { wake(sleepers.acquisition_beside); }

    /// Free jobs stand in the external place.
    void external_jobs_are_there() const { wake(sleepers.external_workers); }

    /// The worker queue takes jobs again.
    void room_became_free() const {
        wake(sleepers.timers_without_room);
        wake(sleepers.acquisition);
    }

    /// schema::kEarliestInstant: nobody here knows when it is due.
    void timer_was_stored(schema::TimePoint due) const { wake(sleepers.timer_mover, due); }

    /// More of them are due than one page.
    void due_timers_pile_up() const { wake(sleepers.timers_beside); }

    /// Whether somebody here moves timers.
    [[nodiscard]] bool is_mover_here() const { return static_cast<bool>(sleepers.timer_mover); }

    /// The mailbox of outcomes is no longer empty.
    void outcomes_wait() const { wake(sleepers.completion); }

    /// The mailbox holds enough outcomes to fill a transaction.
    void outcomes_pile_up() const { wake(sleepers.completion_beside); }

    /// No job of some exclusive group is held any more.
    void groups_ended() const { wake(sleepers.groups); }

    /// A job that met a limit is not held any more.
    void limited_ended() const { wake(sleepers.limits); }

    /// Jobs were found that this node cannot serve.
    void jobs_are_unserved() const { wake(sleepers.unserved); }

    /// Others may not have renewed their leases.
    void nodes_may_be_dead() const { wake(sleepers.dead_nodes); }

    /// The listener's connection has something to say.
    void announcement_waits() const { wake(sleepers.listener); }

    /// Others have enqueued jobs or timers. The timer mover goes by what the acquisition sees from
    /// then on, so it hears of it first.
    void others_enqueued() const {
        wake(sleepers.timers_of_others);
        jobs_are_there();
        external_jobs_are_there();
    }

private:
    template <typename... News>
    static void wake(const std::function<void(News...)>& sleeper, const News&... news) {
        if (sleeper) {
            sleeper(news...);
        }
    }
};

}  // namespace jobstrand::executor
