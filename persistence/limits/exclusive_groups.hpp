#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/concurrency.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The locks of groups of exclusive jobs: a row of JS_EXCLUSIVE for each group of which some node
/// holds jobs. Whoever decides about the jobs of a group reads its row for update first, and all
/// read them in the order of their ids.
///
/// Who has locked rows of jobs waits for no row of a group where the database takes long to see
/// that two wait for each other: others wait for rows of jobs while they have locked groups.
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

/// What somebody holds of a list of groups.
struct HeldGroups {
    GroupLocks at_rest;  ///< Read for update.

    /// Another transaction is changing them at this moment. Empty where the database lets the
    /// caller wait for them (Dialect::no_key_skip_locked).
    std::set<std::string, std::less<>> busy;

    [[nodiscard]] bool contain(std::string_view group) const;
};

/// As locks_for_update, for a caller that has locked rows of jobs. `groups` ascend.
[[nodiscard]] HeldGroups
find_held(Transaction& transaction, std::span<const std::string_view> groups);

/// Takes those of the groups that nobody holds, with so many claimed jobs each, and leaves only
/// these in the list. Returns the locks of others that have come to rest since, read for update;
/// what is in neither list is being changed at this moment. Waits for nobody but those that take
/// one of the groups at the same moment.
///
/// Throws DbError `conflict` where it cannot tell which are its own, because another claim of this
/// owner has taken groups at the same time with the same numbers.
GroupLocks take_groups(Transaction& transaction, const LockClaim& claim, GroupCounts& groups);

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

/// What became of the exclusive jobs of a claim.
struct JoinedGroups {
    std::size_t waiting = 0;  ///< How many left the list and wait.

    /// The first of the jobs that stay free, because others are changing their groups at this
    /// moment; empty: there is none.
    std::string first_left = {};

    /// Groups that nobody held, so that no job of them was held or waited, and how many jobs the
    /// claim has of each now.
    std::map<std::string, std::int64_t, std::less<>> taken = {};
};

/// What every claim asks before it locks jobs: only the holder of a group has exclusive jobs of it.
/// Takes the groups of the exclusive ones among `jobs`, free executable jobs that this transaction
/// has read for update. Those of which another owner holds the group, or of which the claim's owner
/// has enough, leave the list and wait (see waiting_jobs.hpp). Those of which another transaction
/// is changing the group leave it too, and stay as they are. Of jobs without a group nothing is
/// asked or written.
///
/// Waits for other claims of this process that are about the same groups (see GroupTurns).
///
/// Throws DbError `conflict` when it cannot be decided at this moment: then the whole transaction
/// is to be run again.
JoinedGroups join_groups(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    std::vector<schema::Job>& jobs
);

/// The same for one job alone: false when anybody holds its group. It does not wait then.
[[nodiscard]] bool join_group_alone(
    Transaction& transaction,
    const LockClaim& claim,
    schema::ExclusiveOver over,
    const schema::Job& job
);

}  // namespace jobstrand::persistence
