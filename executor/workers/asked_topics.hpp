#pragma once

#include "persistence/node_store.hpp"
#include "schema/time.hpp"

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// Which external workers have asked this node for what lately.
///
/// Thread safety: safe.
class AskedTopics final {
public:
    void add(const std::string& worker, std::span<const std::string> topics, schema::TimePoint now);

    /// Returns the topics asked for within the last AskedTopic::kLasts, by topic and worker; if
    /// there are too many, the latest.
    [[nodiscard]] std::vector<persistence::AskedTopic> latest(schema::TimePoint now);

private:
    /// Forgets what is old, and of too many those that asked the longest ago.
    void tidy(schema::TimePoint now);

    // Guarded by mutex_.
    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, schema::TimePoint> last_;  ///< Topic, worker.
};

}  // namespace jobstrand::executor
