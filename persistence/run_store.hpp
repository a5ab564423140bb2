#pragma once

#include "persistence/history_store.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

// The last runs that succeeded, of each handler type: the rows of JS_ENDED_RUN.

/// A run that succeeded. Empty texts and nullopt: it was not so, or nobody knows.
struct EndedRun {
    std::string id = {};  ///< Ascends with the time; given by the store.
    schema::TimePoint ended{};
    std::string job = {};
    std::string handler_type = {};
    std::string tenant = {};
    std::string instance = {};
    std::string node = {};  ///< The lock owner that held it: a node, or an external worker.
    int attempt = 1;
    std::optional<schema::Duration> waited = {};  ///< From when it could have run until it began.
    std::optional<schema::Duration> duration = {};
    std::string message = {};  ///< What it said.

    bool operator==(const EndedRun&) const = default;
};

/// Which runs are meant: one of the texts of each list, and what is empty restricts nothing.
struct EndedRunFilter {
    std::string job = {};
    std::vector<std::string> handler_types = {};
    std::vector<std::string> tenants = {};
    std::vector<std::string> instances = {};
};

/// Which runs may be forgotten.
struct EndedRunBounds {
    std::optional<schema::TimePoint> before = {};  ///< Those that ended before that.
    std::optional<std::int64_t> of_type = {};      ///< And all but the latest so many of each type.
    std::size_t page = 500;                        ///< Most of a type in one transaction.
};

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
