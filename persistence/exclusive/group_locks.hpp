#pragma once

#include "persistence/lock_claim.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The locks of groups of exclusive jobs: a row of JS_EXCLUSIVE for each group of which some node
/// holds jobs. Whoever decides about the jobs of a group reads its row for update first, and all
/// read them in the order of their ids.
namespace jobstrand::persistence {

/// Who holds a group, and how many of its jobs it has claimed since then.
struct GroupLock {
    std::string owner;
    std::int64_t claimed = 0;
    std::optional<schema::TimePoint> began = {};  ///< The earliest LockClaim::until.
};
using GroupLocks = std::map<std::string, GroupLock, std::less<>>;

/// Groups with a number of jobs each.
using GroupCounts = std::map<std::string_view, std::int64_t>;

/// Those of the groups that somebody holds, read for update. `groups` ascend.
[[nodiscard]] GroupLocks
locks_for_update(Transaction& transaction, std::span<const std::string_view> groups);

/// Takes groups that nobody holds, with so many claimed jobs each. Returns how many: those that
/// another one has taken meanwhile stay as they are.
[[nodiscard]] std::size_t
take_groups(Transaction& transaction, const LockClaim& claim, const GroupCounts& groups);

/// Counts claimed jobs of groups that the claim's owner holds. Their locks end no earlier than the
/// claim.
void count_claimed(Transaction& transaction, const LockClaim& claim, const GroupCounts& groups);

/// The same, forgetting what was claimed before.
void begin_again(Transaction& transaction, const LockClaim& claim, const GroupCounts& groups);

/// Prolongs the locks. Returns those of the groups that the claim's owner does not hold. `groups`
/// ascend.
[[nodiscard]] std::vector<std::string_view> extend_groups(
    Transaction& transaction,
    const LockClaim& claim,
    std::span<const std::string_view> groups
);

/// Those of the groups that the owner holds, in their order; `groups` ascend. Nobody takes them
/// from it until the transaction ends.
[[nodiscard]] std::vector<std::string> held_groups(
    Transaction& transaction,
    std::string_view owner,
    std::span<const std::string_view> groups
);

/// Nobody holds these groups any more.
void free_groups(
    Transaction& transaction,
    std::string_view owner,
    std::span<const std::string_view> groups
);

}  // namespace jobstrand::persistence
