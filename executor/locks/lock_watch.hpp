#pragma once

#include "executor/loop/activity.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <string>
#include <vector>

namespace jobstrand::executor {

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

}  // namespace jobstrand::executor
