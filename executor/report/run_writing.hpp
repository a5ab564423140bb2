#pragma once

#include "executor/loop/activity.hpp"
#include "executor/report/last_runs.hpp"
#include "persistence/run_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <cstddef>
#include <string_view>

namespace jobstrand::executor {

/// Writes down the last runs: at once after a quiet time, and then once a second, as long as there
/// are any. Those that the database does not take are dropped, so that nothing waits for it.
///
/// Thread safety: run_once() belongs to the loop's strand; write() comes when that has ended.
class RunWriting final : public Activity {
public:
    RunWriting(
        persistence::RunStore& store,
        LastRuns& runs,
        const schema::Clock& clock,
        schema::Log& log
    )
        : store_(store), runs_(runs), clock_(clock), log_(log) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "last runs"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// What there is, in one transaction. false: there is nothing. Throws DbError.
    bool write();

private:
    persistence::RunStore& store_;
    LastRuns& runs_;
    const schema::Clock& clock_;
    schema::Log& log_;
    schema::SteadyPoint next_ = schema::SteadyPoint::min();
    std::size_t dropped_ = 0;  ///< Not told yet.
};

}  // namespace jobstrand::executor
