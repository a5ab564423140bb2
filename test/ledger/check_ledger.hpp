#pragma once

#include "test/ledger/ledger.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace jobstrand::test {

/// What the invariants of docs/design.md say about a ledger. Each list has a sentence for each
/// breach; all are empty when everything held.
struct Findings {
    std::vector<std::string> lost = {};        ///< I2: acknowledged, and never done.
    std::vector<std::string> done_twice = {};  ///< I1 I3: the database took two ends with success.
    /// I3: the database took an end that no run of this token had reached: a run wrote it that had
    /// lost its lock.
    std::vector<std::string> stale = {};
    /// I4: two exclusive runs of an instance at one time. A run that had lost its lock while its
    /// process was frozen counts up to the freeze: what it does afterwards, the fence keeps out.
    std::vector<std::string> overlaps = {};
    /// More runs at one time than their limit allows, counted as for overlaps.
    std::vector<std::string> over_limit = {};
    std::vector<std::string> retries_used = {};  ///< I5: more attempts than failures.
    /// A run of a job that had run before, although since that run began nothing was done to its
    /// node, which renewed its lease in time, nor to the database.
    std::vector<std::string> unexplained = {};
    /// A transactional handler's effect is not there once, with the run that the database took.
    std::vector<std::string> effects = {};

    std::size_t runs = 0;
    std::size_t repeats = 0;       ///< Runs after one that did not fail.
    std::size_t begun_anew = 0;    ///< Under the same lock, because of a refused transaction.
    std::size_t most_limited = 0;  ///< Runs of limited jobs at one time.
    std::size_t ended_leases = 0;  ///< Leases that ended.
    std::size_t ended_leases_of_living =
        0;  ///< Leases that ended although their nodes lived and moved.

    [[nodiscard]] bool are_none() const;
};

[[nodiscard]] Findings check(const Ledger& ledger);

}  // namespace jobstrand::test
