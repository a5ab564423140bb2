#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/job_intake.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"

#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::executor {

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
