#pragma once

#include "deadletter/job_search.hpp"
#include "persistence/node_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/watch_store.hpp"
#include "schema/clock.hpp"

#include <cstddef>
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

/// What goes on with the jobs of one handler type.
struct TypeActivity {
    std::string handler_type = {};
    std::int64_t runs_last_minute = 0;    ///< Those that have ended.
    std::int64_t failed_last_minute = 0;  ///< Of them.
    double runs_per_second = 0;           ///< In the time since somebody counts, a minute at most.
    double failed_per_second = 0;
    std::int64_t free = 0;  ///< That wait for a worker, among the first that do.
    std::optional<schema::TimePoint> waits_since = {};  ///< The one that waits the longest.
    std::int64_t long_runs = 0;                         ///< That last for longer than a moment.
    std::optional<schema::TimePoint> runs_since = {};   ///< The longest of them.
};

/// All of it at a glance.
struct Overview {
    schema::TimePoint now = {};  ///< The database's.
    std::vector<PlaceCount> places = {};
    std::int64_t due_soon = 0;  ///< Timers that are due within a minute, the overdue ones too.
    persistence::WaitingJobs waiting = {};
    std::vector<persistence::Node> nodes = {};  ///< By name.

    /// The slowest first: by the longest run or wait, then by the number of runs.
    std::vector<TypeActivity> types = {};

    std::vector<ExternalTopic> external = {};  ///< By topic.

    /// The sum over all types of one of their figures.
    template <typename Number>
    [[nodiscard]] Number sum_of(Number TypeActivity::*figure) const {
        Number sum{};
        for (const TypeActivity& type : types) {
            sum += type.*figure;
        }
        return sum;
    }
};

/// Reads it; the jobs of each place are counted, all else is bounded. Nothing is changed.
///
/// Throws DbError. Thread safety: safe. The stores and the clock must outlive it. The clock shows
/// the database's time.
class OverviewReader final {
public:
    struct Stores {
        persistence::OperatorStore& jobs;
        persistence::WatchStore& watch;
        persistence::NodeStore& nodes;
    };

    OverviewReader(const Stores& stores, const schema::Clock& clock)
        : stores_(stores), clock_(clock) {}

    /// `most`: see JobSearch::count_places.
    [[nodiscard]] Overview read(std::optional<std::size_t> most = {}) const;

private:
    [[nodiscard]] std::vector<TypeActivity> types(schema::TimePoint now) const;

    Stores stores_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
