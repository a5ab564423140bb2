#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/pool/group_order.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// Extends the locks of jobs that are queued, running or being completed, so that the lock time can
/// be short and a job as long as it likes. A job whose lock is lost is told to stop.
///
/// Thread safety: safe.
class LockRenewal final : public Activity {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        HeldJobs& held;
        const schema::Clock& clock;
        schema::Log& log;
    };

    LockRenewal(Dependencies dependencies, std::string lock_owner, schema::Duration lock_time);

    [[nodiscard]] std::string_view name() const noexcept override { return "lock renewal"; }

    /// Renews what ends within the next two thirds of the lock time; comes back after a third of
    /// it, or at once if it took longer than that.
    [[nodiscard]] schema::Duration run_once() override;

    /// Renews every lock that is held, whenever it ends. From any thread.
    void renew_all() { renew(use_.clock.steady_now(), schema::SteadyPoint::max()); }

private:
    void renew(schema::SteadyPoint now, schema::SteadyPoint ending_before);

    const Dependencies use_;
    const std::string lock_owner_;
    const schema::Duration lock_time_;
};

/// Tells a running job to stop soon after an operator has taken it away (schema::cancelled), which
/// the renewal of its lock would find out much later. Asks about those only that run for longer
/// than an interval, with one statement by their keys: short jobs cost nothing.
///
/// Thread safety: run_once() belongs to the loop's strand.
class LockWatch final : public Activity {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        HeldJobs& held;
        schema::Log& log;
    };

    LockWatch(Dependencies dependencies, std::string lock_owner);

    [[nodiscard]] std::string_view name() const noexcept override { return "lock watch"; }

    [[nodiscard]] schema::Duration run_once() override;

private:
    [[nodiscard]] std::vector<HeldJobPtr> running_for_long();

    const Dependencies use_;
    const std::string lock_owner_;

    // Touched only on the strand.
    std::vector<HeldJobPtr> running_;  ///< At the last pass, by address.
};

/// How jobs that were locked, and are not started after all, come free again. No retry is used
/// (I5). With a job go those of its group that wait behind it.
///
/// free() and give_back() never throw: what cannot be freed while the database is away stays held,
/// its lock renewed, and is freed when it is back. It would wait for the end of its lock otherwise,
/// though its node lives.
///
/// Thread safety: safe; run_once() belongs to the loop's strand. Everything passed in must outlive
/// it.
class HeldRelease final : public Activity {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        HeldJobs& held;
        GroupOrder& order;
        WakeUps& wake_ups;
        const schema::Clock& clock;
        schema::Log& log;
    };

    /// `stay_executable`: what was a timer does not become one again, because the order of
    /// acquisition decides when it runs.
    HeldRelease(const Dependencies& use, std::string_view lock_owner, bool stay_executable)
        : use_(use), lock_owner_(lock_owner), stay_executable_(stay_executable) {}

    /// Frees them where they are.
    void free(std::vector<HeldJobPtr> jobs);

    /// Frees what does not start soon here after all. What was a timer is one again, if this
    /// process moves timers: it keeps its turn that way.
    void give_back(std::vector<HeldJobPtr> jobs);

    /// What is called when something could not be freed; before the first job.
    void when_left(std::function<void()> wake) { wake_ = std::move(wake); }

    [[nodiscard]] std::string_view name() const noexcept override { return "release"; }

    /// Frees what was left, or throws DbError and leaves it again.
    [[nodiscard]] schema::Duration run_once() override;

private:
    void release(const std::vector<HeldJobPtr>& jobs);

    const Dependencies use_;
    const std::string_view lock_owner_;
    const bool stay_executable_;
    std::function<void()> wake_;

    std::mutex mutex_;
    std::vector<HeldJobPtr> left_;  ///< Guarded by mutex_. Could not be freed yet.
};

/// Claims of this node of which nobody could tell whether they were committed: the connection was
/// cut in the commit, and the database did not come back in time. What such a claim has locked is
/// ours without our knowing it, and would wait for the end of its lock. As long as that holds it is
/// looked for, because a commit may come to light late, and taken in like the jobs of any claim.
///
/// Thread safety: add() is safe; run_once() belongs to the loop's strand.
class DoubtfulClaims final : public Activity {
public:
    DoubtfulClaims(persistence::ExecutorStore& store, JobIntake& intake, const schema::Clock& clock)
        : store_(store), intake_(intake), clock_(clock) {}

    /// `until` is the end of the claim's locks, `locked_at` when it began.
    void add(schema::TimePoint until, schema::SteadyPoint locked_at);

    /// What add() wakes; before the first claim.
    void when_added(std::function<void()> wake) { wake_ = std::move(wake); }

    [[nodiscard]] std::string_view name() const noexcept override { return "doubtful claims"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    struct Doubt {
        schema::TimePoint until;
        schema::SteadyPoint locked_at;
    };

    // Constant after construction, or before the first claim.
    persistence::ExecutorStore& store_;
    JobIntake& intake_;
    const schema::Clock& clock_;
    std::function<void()> wake_;

    std::mutex mutex_;
    std::vector<Doubt> doubts_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::executor
