#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/job_intake.hpp"
#include "persistence/served_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <map>

namespace jobstrand::executor {

/// Shows the other nodes, and operators, that this node lives and which jobs it takes, and says
/// which jobs wait in vain because no living node takes them (I7): once per kind and hour.
///
/// Thread safety: run_once() belongs to the loop's strand; leave() comes after its last pass.
class NodePresence final : public Activity {
public:
    struct Dependencies {
        persistence::ServedStore& store;
        const JobIntake& intake;
        const schema::Clock& clock;
        schema::Log& log;
    };

    explicit NodePresence(Dependencies dependencies) : use_(dependencies) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "node presence"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// This node takes no more jobs. Throws DbError.
    void leave();

private:
    void say_what_nobody_serves();

    const Dependencies use_;

    // Touched only on the strand.
    std::map<persistence::JobKind, schema::SteadyPoint> said_;  ///< And when.
};

}  // namespace jobstrand::executor
