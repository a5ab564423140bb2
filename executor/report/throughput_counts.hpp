#pragma once

#include "executor/loop/activity.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/node_store.hpp"
#include "persistence/outcome.hpp"
#include "persistence/run_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/throughput.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// How many runs have ended in the last minute, by handler type.
///
/// Thread safety: safe.
class RunCounts final {
public:
    /// Outcomes of which some are those of runs. One lock for all of them.
    void add(std::span<const persistence::Outcome> outcomes);

    /// Counts one run.
    void add(const std::string& handler_type, bool has_failed = false);

    /// Returns the runs of the last minute by handler type, without types that had none. It is
    /// exact to the time between two calls; until a minute after the first call it covers less than
    /// one.
    [[nodiscard]] std::vector<persistence::TypeRuns> last_minute(schema::SteadyPoint now);

private:
    struct Count {
        std::int64_t runs = 0;
        std::int64_t failed = 0;
    };
    using Counts = std::map<std::string, Count, std::less<>>;

    /// What was counted between two calls.
    struct Period {
        schema::SteadyPoint from;
        schema::SteadyPoint until;
        Counts counts;
    };

    [[nodiscard]] schema::Duration span(schema::SteadyPoint now) const;
    [[nodiscard]] static std::vector<persistence::TypeRuns>
    most_frequent(const Counts& counts, schema::Duration span);

    // Guarded by mutex_.
    std::mutex mutex_;
    Counts current_;
    std::deque<Period> periods_;
    std::optional<schema::SteadyPoint> began_;  ///< The first call.
    schema::SteadyPoint last_call_;
};

/// What this node runs, in spans of a second and of a minute. Spans that are over wait to be
/// taken; of too many the oldest are forgotten.
///
/// Times are those of the database. Thread safety: safe.
class ThroughputCounts final {
public:
    /// That wait to be taken.
    static constexpr std::size_t kMostSpans = 200;

    /// How a run ended that is told of by itself.
    struct RunEnd {
        bool has_failed = false;
        bool is_dead = false;
        std::optional<schema::Duration> ran = {};
    };

    /// An attempt of the job has begun at `began`, and it counts as now.
    void begun(const schema::Job& job, schema::TimePoint began, schema::TimePoint now);

    /// Several begin.
    void begun(std::span<const schema::Job> jobs, schema::TimePoint now);

    /// Outcomes of which some are those of runs. Begins count with them, so that a short run is
    /// counted once for a whole page, except those that Outcome::is_begin_counted tells of. Of the
    /// `lost` jobs nothing else counts.
    void ended(
        std::span<const persistence::Outcome> outcomes,
        const std::set<const schema::Job*>& lost,
        schema::TimePoint now
    );

    void ended(std::string_view handler_type, const RunEnd& end, schema::TimePoint now);

    /// The spans that are over, in which something happened.
    [[nodiscard]] std::vector<schema::ThroughputSpan> take(schema::TimePoint now);

    /// Takes all spans, also those that are not over yet.
    [[nodiscard]] std::vector<schema::ThroughputSpan> take_all();

private:
    // With the mutex held.
    void begin(const schema::Job& job, schema::TimePoint began);
    [[nodiscard]] schema::RunSums& of(std::string_view handler_type);
    void go_on_to(schema::TimePoint now);
    void end_short_span();
    void end_long_span();
    void add_over(schema::ThroughputSpan&& span);
    [[nodiscard]] std::vector<schema::ThroughputSpan> take_over();

    // Guarded by mutex_.
    std::mutex mutex_;
    schema::ThroughputSpan short_{.length = schema::kShortSpan};
    schema::ThroughputSpan long_{.length = schema::kLongSpan};
    std::string_view last_type_;            ///< Neighbours are often of one type.
    schema::RunSums* last_sums_ = nullptr;  ///< Of it in the short span.
    std::deque<schema::ThroughputSpan> over_;
};

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
