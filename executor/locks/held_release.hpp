#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/pool/group_order.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::executor {

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

}  // namespace jobstrand::executor
