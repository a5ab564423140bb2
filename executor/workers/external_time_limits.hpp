#pragma once

#include "executor/loop/activity.hpp"
#include "executor/workers/external_deadlines.hpp"
#include "executor/workers/worker_broker.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"

#include <string_view>
#include <vector>

namespace jobstrand::executor {

/// Gives up jobs that external workers hold for longer than the time limit of their handler type:
/// the attempt has failed, and the worker does not hold the job any more, however often it prolongs
/// its lock. It looks after the jobs that were taken through this node, and after those that it
/// finds held every minute, whose time begins then: so a node that dies is made good by the others.
///
/// Thread safety: run_once() belongs to the loop's strand. Everything passed in must outlive it.
class ExternalTimeLimits final : public Activity {
public:
    struct Dependencies {
        persistence::OperatorStore& store;
        WorkerBroker& broker;
        ExternalDeadlines& deadlines;
        const schema::Clock& clock;
    };

    explicit ExternalTimeLimits(Dependencies use) : use_(use) {}

    [[nodiscard]] std::string_view name() const noexcept override {
        return "time limits of external jobs";
    }
    [[nodiscard]] schema::Duration run_once() override;

private:
    void look_for_held(schema::TimePoint now);
    void give_up(const std::vector<ExternalDeadlines::Held>& late, schema::TimePoint now);

    const Dependencies use_;
    schema::SteadyPoint next_look_ = schema::SteadyPoint::min();
};

}  // namespace jobstrand::executor
