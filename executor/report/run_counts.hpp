#pragma once

#include "persistence/node_store.hpp"
#include "persistence/outcome.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
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

}  // namespace jobstrand::executor
