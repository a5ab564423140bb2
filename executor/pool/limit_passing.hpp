#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/last_view.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"

#include <string>
#include <string_view>

namespace jobstrand::executor {

/// Takes jobs that wait for limits when there is room for them: as soon as one of this node's has
/// ended, when a rate lets more start, and from time to time for what others have ended. It also
/// reads the limits anew, every `refresh_interval`.
///
/// Thread safety: run_once() belongs to the loop's strand.
class LimitPassing final : public Activity {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        JobIntake& intake;
        const schema::Clock& clock;
        const LastView* view = nullptr;
    };

    LimitPassing(const Dependencies& use, schema::Duration refresh_interval)
        : use_(use), refresh_interval_(refresh_interval) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "limits"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// Reads the limits. Throws DbError.
    void refresh();

private:
    [[nodiscard]] schema::Duration until_there_may_be_any() const;

    // Constant after construction.
    const Dependencies use_;
    const schema::Duration refresh_interval_;

    // Touched by refresh() before the first pass, and by passes.
    bool are_any_ = false;
    schema::SteadyPoint refresh_at_ = schema::SteadyPoint::min();
    std::string behind_;  ///< The group that the last look ended with.
    /// Until a rate lets more start, or others may have made room, as far as this round through the
    /// groups has seen.
    schema::Duration until_next_{0};
};

}  // namespace jobstrand::executor
