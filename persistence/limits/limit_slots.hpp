#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/concurrency.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Which jobs run in the groups that limits meet, and what is used up of their rates. Each has a
/// row of JS_SLOT with the owner that started it, and counts only while this owner holds the job:
/// so whatever ends a run, the death of its node too, needs to write nothing here. Who looks next
/// at the group deletes what counts no more. There are never more of them than the limit allows, so
/// to look at them is to read a few rows by their keys.
namespace jobstrand::persistence {

struct LimitSlot {
    std::string group;
    std::string id;
};

using GroupLoads = std::map<std::string, schema::GroupLoad, std::less<>>;

struct SlotsRead {
    GroupLoads loads;              ///< Of groups in which any job runs.
    std::vector<LimitSlot> stale;  ///< Those that count no more.
};

/// Until when the rates of groups are used up; one that is not there is not at all.
using UsedRates = std::map<std::string, schema::UsedUntil, std::less<>>;

/// What there is of a group.
[[nodiscard]] schema::GroupLoad
load_of(std::string_view group, const GroupLoads& loads, const UsedRates& used);

/// Locks the rows of the groups, making those that are not there. Until the transaction ends nobody
/// else starts jobs of them. `groups` ascend. Throws DbError `conflict` when another node makes one
/// at the same moment. Returns what is used up of their rates.
UsedRates lock_limited(Transaction& transaction, std::span<const std::string_view> groups);

/// The same without a lock.
[[nodiscard]] UsedRates
read_used_rates(Connection& connection, std::span<const std::string_view> groups);

/// This transaction has locked the group.
void write_used_rate(Transaction& transaction, std::string_view group, schema::UsedUntil until);

/// What runs in the groups; `owner` says what is here. `groups` ascend.
[[nodiscard]] SlotsRead read_slots(
    Connection& connection,
    std::string_view owner,
    std::span<const std::string_view> groups
);
[[nodiscard]] SlotsRead read_slots(
    Transaction& transaction,
    std::string_view owner,
    std::span<const std::string_view> groups
);

/// These jobs are about to be locked for `owner`.
void take_slots(Transaction& transaction, std::string_view owner, std::span<const LimitSlot> slots);

void delete_slots(Transaction& transaction, std::span<const LimitSlot> slots);

/// What every claim asks first: takes a slot in each group that a limit meets for those of `jobs`,
/// executable ones that this transaction has read for update and is about to lock, for which all
/// their groups have room. Of those that meet a limit it lets `most` in at most. The others leave
/// the list and wait. Returns how many. Of jobs that meet no limit nothing is asked or written.
///
/// Throws DbError `conflict`: then the whole transaction is to be run again.
std::size_t join_limits(
    Transaction& transaction,
    const LockClaim& claim,
    const schema::JobLimits& limits,
    std::size_t most,
    std::vector<schema::Job>& jobs
);

}  // namespace jobstrand::persistence
