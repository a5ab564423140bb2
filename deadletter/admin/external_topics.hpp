#pragma once

#include "persistence/node_store.hpp"
#include "persistence/watch_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// The jobs of external workers of one type, and who asks for them.
struct ExternalTopic {
    std::string topic = {};
    std::int64_t waiting = 0;  ///< Free jobs, among the first that are there.
    std::int64_t locked = 0;   ///< Jobs that workers hold, likewise.
    std::optional<schema::TimePoint> waits_since = {};  ///< The one that waits the longest.
    std::int64_t workers = 0;      ///< That have asked in the last AskedTopic::kLasts.
    std::string last_worker = {};  ///< Who has asked last.
    std::optional<schema::TimePoint> last_asked = {};

    /// Jobs wait, and no worker has asked for them or holds one.
    [[nodiscard]] bool is_abandoned() const { return waiting > 0 && locked == 0 && workers == 0; }
};

/// Returns the topics that have jobs or workers, by name. Reads up to 10,000 rows of jobs. Throws
/// DbError.
[[nodiscard]] std::vector<ExternalTopic> external_topics(
    persistence::WatchStore& watch,
    persistence::NodeStore& nodes,
    schema::TimePoint now
);

}  // namespace jobstrand::deadletter
