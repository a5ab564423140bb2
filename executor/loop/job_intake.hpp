#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// Where locked jobs enter an executor: from acquisition, from the timer mover, and from the
/// hand-off right after the commit that created them.
///
/// Thread safety: every implementation is safe.
class JobIntake {
public:
    virtual ~JobIntake() = default;

    /// How much an acquisition should take now: what the workers start soon. No jobs while it is
    /// not running, or while there are too few to be worth a transaction; then it tells when there
    /// are enough (WakeUps). It may first free what it holds and will not start soon.
    [[nodiscard]] virtual persistence::PageLimit room() = 0;

    /// How much it can take that did not come from acquisition. No jobs where the order of
    /// acquisition is to decide: then they stay free in the table, and whoever brings them tells it
    /// (WakeUps).
    [[nodiscard]] virtual persistence::PageLimit room_for_handoffs() = 0;

    /// How many jobs of groups that have ended here it can start soon. None while it is not
    /// running.
    [[nodiscard]] virtual persistence::PageLimit room_for_groups() = 0;

    /// How many jobs that wait for limits it can start soon.
    [[nodiscard]] virtual persistence::PageLimit room_for_limited() = 0;

    /// How many due timers, up to `page` with each transaction, should come locked for it now. No
    /// jobs while there are too few to be worth a transaction; then it tells when there are enough
    /// (WakeUps). nullopt: none ever, because the order of acquisition is to decide.
    [[nodiscard]] virtual std::optional<persistence::PageLimit> room_for_timers(std::size_t page
    ) = 0;

    /// The jobs that it takes now (I7); never nullptr.
    [[nodiscard]] virtual std::shared_ptr<const persistence::ServedJobs> served() const = 0;

    /// The owner that jobs for this intake must be locked by.
    [[nodiscard]] virtual const std::string& lock_owner() const = 0;

    /// The lock time that they must be given.
    [[nodiscard]] virtual schema::Duration lock_time() const = 0;

    /// Takes jobs that are locked for lock_owner(), since `locked_at` by the steady clock. What
    /// finds no place is freed in its table again (R156), without using a retry.
    virtual void accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) = 0;

    /// Call when the commit of a claim is in doubt. Its locks began at `locked_at` and end at
    /// `until`; its jobs are accepted once it is known that they were locked.
    virtual void in_doubt(schema::TimePoint until, schema::SteadyPoint locked_at) = 0;

    /// When the locks of a claim end that begins now. No two claims have the same end, or a group
    /// that was passed on and claimed again could be taken for the one before
    /// (persistence::GroupEnd), when the answer to the passing on was lost.
    [[nodiscard]] schema::TimePoint end_of_next_claim(schema::TimePoint now) {
        const schema::Duration::rep wanted = (now + lock_time()).time_since_epoch().count();
        schema::Duration::rep last = last_end_ms_.load();
        schema::Duration::rep next = 0;
        do {
            const bool is_taken = wanted <= last && last - wanted < kClockSetBack;
            next = is_taken ? last + 1 : wanted;
        } while (!last_end_ms_.compare_exchange_weak(last, next));
        return schema::TimePoint(schema::Duration(next));
    }

private:
    /// Milliseconds: more than claims of the same time bring about.
    static constexpr schema::Duration::rep kClockSetBack = 1000;

    std::atomic<schema::Duration::rep> last_end_ms_{0};
};

/// A claim for the intake, beginning now: late when two thirds of the lock time have gone. Borrows
/// its owner and the clock.
[[nodiscard]] inline persistence::LockClaim
claim_for(JobIntake& intake, const schema::Clock& clock) {
    const schema::TimePoint now = clock.now();
    return {
        .owner = intake.lock_owner(),
        .until = intake.end_of_next_claim(now),
        .now = now,
        .is_late = [&clock, late_from = clock.steady_now() + intake.lock_time() * 2 / 3] {
            return clock.steady_now() >= late_from;
        }};
}

/// What `claiming`, which claims jobs so, returns; nullopt: nothing was claimed, and it is to be
/// looked again. If nobody can tell whether it was committed, the intake hears of it.
template <typename Claiming>
auto run_claim(
    JobIntake& intake,
    schema::TimePoint until,
    schema::SteadyPoint locked_at,
    Claiming claiming
) -> std::optional<decltype(claiming())> {
    try {
        return claiming();
    } catch (const persistence::NothingClaimed&) {
        return std::nullopt;
    } catch (const persistence::DbError& error) {
        if (error.kind() == persistence::DbErrorKind::in_doubt) {
            intake.in_doubt(until, locked_at);
        }
        throw;
    }
}

}  // namespace jobstrand::executor
