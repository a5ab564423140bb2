#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

struct StoreContext;

/// Executable jobs that are not free, because others have to end first.
struct WaitingJobs {
    std::int64_t exclusive = 0;  ///< For another exclusive job of their group.
    std::int64_t limited = 0;    ///< For room in a limit.

    bool operator==(const WaitingJobs&) const = default;
};

/// Free jobs of one handler type.
struct FreeJobs {
    std::string handler_type = {};
    std::int64_t jobs = 0;
    /// When the one that has waited the longest could run first; nullopt: nobody can read it.
    std::optional<schema::TimePoint> since = {};

    bool operator==(const FreeJobs&) const = default;
};

/// The jobs of external workers of one type.
struct ExternalJobs {
    std::string handler_type = {};
    std::int64_t waiting = 0;  ///< Free, or their locks are over.
    std::int64_t locked = 0;
    std::optional<schema::TimePoint> since = {};  ///< Of those that wait; see FreeJobs.

    bool operator==(const ExternalJobs&) const = default;
};

/// A job that a living node has been running for longer than a moment.
struct RunningJob {
    std::string id = {};
    std::string handler_type = {};
    std::string node = {};
    schema::TimePoint since = {};

    bool operator==(const RunningJob&) const = default;
};

/// What waits and what runs, for whoever looks again and again: the cost of each question is
/// bounded, however full the tables are. See Transactions for what holds for all roles.
class WatchStore final {
public:
    explicit WatchStore(const StoreContext& context) : context_(context) {}

    /// Timers that are due by `until`, those that are overdue too; `most`: that many, or more.
    [[nodiscard]] std::int64_t count_due(schema::TimePoint until, std::size_t most);

    /// Each of the two up to `most`.
    [[nodiscard]] WaitingJobs count_waiting(std::size_t most);

    /// Looks at the first `rows` free jobs of a place in id order, and returns the `types` handler
    /// types that have the most of them, these first. Precondition: jobs of the place have locks.
    [[nodiscard]] std::vector<FreeJobs>
    free_by_type(schema::JobPlace place, std::size_t rows, std::size_t types);

    /// Counts the first `rows` jobs of external workers, free or not, by type.
    [[nodiscard]] std::vector<ExternalJobs>
    external_by_type(schema::TimePoint now, std::size_t rows);

    /// Returns up to `most` of the runs that nodes report (see NodeWork), the longest first.
    [[nodiscard]] std::vector<RunningJob> longest_runs(schema::TimePoint now, std::size_t most);

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
