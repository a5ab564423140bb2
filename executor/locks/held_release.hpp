#pragma once

#include "executor/loop/wake_ups.hpp"
#include "executor/pool/group_order.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <string_view>
#include <vector>

namespace jobstrand::executor {

/// How jobs that were locked, and are not started after all, come free again. No retry is used
/// (I5). With a job go those of its group that wait behind it.
///
/// Never throws: what cannot be freed now is freed by anybody's reset when its lock expires.
///
/// Thread safety: safe. Everything passed in must outlive it.
class HeldRelease final {
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

private:
    const Dependencies use_;
    const std::string_view lock_owner_;
    const bool stay_executable_;
};

}  // namespace jobstrand::executor
