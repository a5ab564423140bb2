#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// Lets the claims of one process that meet the same groups of exclusive jobs follow each other.
///
/// A node that claims two pages at a time finds jobs of one group in both. The database would let
/// the second one wait for the group's row, and then roll back with all that it has read. Behind
/// the first one it counts its jobs of the group to the others. What other processes do, the
/// database alone decides.
///
/// Thread safety: safe.
class GroupTurns final {
public:
    /// Waits until no other turn has one of these groups, but not longer than a second. Then they
    /// are the caller's until it drops what this returns.
    [[nodiscard]] std::shared_ptr<const void> wait_for(std::span<const std::string_view> groups);

private:
    class Turn;

    std::mutex mutex_;
    std::condition_variable ended_;
    std::set<std::string, std::less<>> taken_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::persistence
