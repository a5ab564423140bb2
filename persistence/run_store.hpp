#pragma once

#include "persistence/ended_run.hpp"
#include "persistence/job_log.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// The last runs that succeeded. Whoever ended them tells of them afterwards, so that a crash may
/// lose some: they are for people, and nothing is decided by them.
///
/// See Transactions for what holds for all roles.
class RunStore {
public:
    virtual ~RunStore() = default;

    /// Adds runs in one transaction. They get ids of their own.
    virtual void add_runs(std::span<const EndedRun> runs) = 0;

    /// The latest first, those that are older than `behind` (an id; empty: all).
    [[nodiscard]] virtual std::vector<EndedRun>
    ended_runs(const EndedRunFilter& filter, std::string_view behind, std::size_t limit) = 0;

    /// A page of each type in a transaction of its own. A row that another node is removing is left
    /// to it, so that nobody waits.
    virtual JobLogCleaning clean_runs(const EndedRunBounds& bounds) = 0;
};

}  // namespace jobstrand::persistence
