#pragma once

#include "executor/loop/activity.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <string>

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
    /// it.
    [[nodiscard]] schema::Duration run_once() override;

    /// Renews every lock that is held, whenever it ends. From any thread.
    void renew_all() { renew(use_.clock.steady_now(), schema::SteadyPoint::max()); }

private:
    void renew(schema::SteadyPoint now, schema::SteadyPoint ending_before);

    const Dependencies use_;
    const std::string lock_owner_;
    const schema::Duration lock_time_;
};

}  // namespace jobstrand::executor
