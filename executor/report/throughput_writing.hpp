#pragma once

#include "executor/loop/activity.hpp"
#include "executor/pool/held_jobs.hpp"
#include "executor/report/throughput_counts.hpp"
#include "persistence/throughput_store.hpp"
#include "schema/clock.hpp"
#include "schema/throughput/throughput.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// Writes down what this node runs, span by span, and forgets what is too old. Begins of runs that
/// are still under way after a second are counted here, the others with their ends. While the
/// database takes nothing it keeps the latest spans.
///
/// Thread safety: one pass at a time; write_the_rest() comes after the last one.
class ThroughputWriting final : public Activity {
public:
    struct Dependencies {
        ThroughputCounts& counts;
        HeldJobs& held;
        persistence::ThroughputStore* store;  ///< nullptr: it is not written down.
        const schema::Clock& clock;
    };

    ThroughputWriting(Dependencies use, std::string node) : use_(use), node_(std::move(node)) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "throughput"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// Writes the spans that are under way. Throws DbError.
    void write_the_rest();

private:
    void count_long_runs();
    void add(std::vector<schema::ThroughputSpan> spans);
    void write();
    void forget_old();

    const Dependencies use_;
    const std::string node_;

    // Touched by passes only.
    std::vector<schema::ThroughputSpan> unwritten_;
    schema::SteadyPoint forgets_at_ = schema::SteadyPoint::min();
};

}  // namespace jobstrand::executor
