#pragma once

#include "persistence/node_work.hpp"
#include "persistence/outcome.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// How many runs have ended in the last minute, by handler type.
///
/// Thread safety: safe.
class RunCounts final {
public:
    /// Outcomes of which some are those of runs. One lock for all of them.
    void add(std::span<const persistence::Outcome> outcomes);

    /// One run.
    void add(const std::string& handler_type);

    /// By handler type, and no type without a run. It is exact to the time between two calls.
    [[nodiscard]] std::vector<persistence::TypeRuns> last_minute(schema::SteadyPoint now);

private:
    using Counts = std::map<std::string, std::int64_t, std::less<>>;

    /// What was counted until then.
    struct Period {
        schema::SteadyPoint until;
        Counts counts;
    };

    // Guarded by mutex_.
    std::mutex mutex_;
    Counts current_;
    std::deque<Period> periods_;
};

}  // namespace jobstrand::executor
