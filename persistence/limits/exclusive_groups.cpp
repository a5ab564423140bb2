#include "persistence/limits/exclusive_groups.hpp"

#include "persistence/limits/waiting_jobs.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

// No statement changes the owner of a row: who takes a group from its owner deletes the row. So
// outcomes, which need that it stays, and claims that count more jobs of the group need not wait
// for each other.
constexpr std::string_view kGroupLocks = R"sql(
    SELECT ID_, LOCK_OWNER_, CLAIMED_, BEGAN_
    FROM JS_EXCLUSIVE {by_id}
    WHERE ID_ IN (...)
    ORDER BY ID_
    {lock})sql";

// Claims and renewals may commit in another order than that of their times. The holder reckons the
// earliest of its claims as the first, and so does this.
constexpr std::string_view kCount = R"sql(
    UPDATE JS_EXCLUSIVE {by_id}
    SET CLAIMED_ = CLAIMED_ + ?,
        LOCK_EXP_TIME_ = CASE WHEN LOCK_EXP_TIME_ < ? THEN ? ELSE LOCK_EXP_TIME_ END,
        BEGAN_ = CASE WHEN BEGAN_ > ? THEN ? ELSE BEGAN_ END
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ?)sql";

constexpr std::string_view kBeginAgain = R"sql(
    UPDATE JS_EXCLUSIVE {by_id}
    SET CLAIMED_ = ?,
        BEGAN_ = ?,
        LOCK_EXP_TIME_ = CASE WHEN LOCK_EXP_TIME_ < ? THEN ? ELSE LOCK_EXP_TIME_ END
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ?)sql";

constexpr std::string_view kExtend = R"sql(
    UPDATE JS_EXCLUSIVE {by_id}
    SET LOCK_EXP_TIME_ = CASE WHEN LOCK_EXP_TIME_ < ? THEN ? ELSE LOCK_EXP_TIME_ END
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ?)sql";

constexpr std::string_view kHeld = R"sql(
    SELECT ID_
    FROM JS_EXCLUSIVE {by_id}
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ?
    ORDER BY ID_
    {for_key_share})sql";

constexpr std::string_view kFree = R"sql(
    {delete_where} ID_ IN (...) AND LOCK_OWNER_ = ?)sql";

constexpr std::array<std::string_view, 5> kTaken{
    "ID_",
    "LOCK_OWNER_",
    "LOCK_EXP_TIME_",
    "BEGAN_",
    "CLAIMED_",
};

std::string native(std::string_view sql, const Dialect& dialect) {
    return fmt::format(
        fmt::runtime(sql),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("for_key_share", dialect.for_key_share),
        fmt::arg("delete_where", delete_where(dialect, "JS_EXCLUSIVE"))
    );
}

/// Runs a statement that sets a number and then `times` times to that of the claim, once for each
/// number.
void set_numbers(
    Transaction& transaction,
    std::string_view sql,
    const LockClaim& claim,
    std::size_t times,
    const GroupCounts& groups
) {
    std::map<std::int64_t, std::vector<std::string_view>> by_number;
    for (const auto& [group, number] : groups) {
        by_number[number].push_back(group);
    }
    const std::string text = native(sql, transaction.dialect());
    for (const auto& [number, ids] : by_number) {
        std::vector<Value> before(times + 1, Value{claim.until});
        before.front() = number;
        const IdListParameters parameters{
            .before = std::move(before), .ids = ids, .after = {claim.owner}};
        execute_for_ids(transaction, text, parameters);
    }
}

}  // namespace

std::vector<std::string> held_groups(
    Transaction& transaction,
    std::string_view owner,
    std::span<const std::string_view> groups
) {
    const std::string sql = native(kHeld, transaction.dialect());
    std::vector<std::string> held;
    const IdListParameters parameters{.ids = groups, .after = {owner}};
    query_for_ids(transaction, {.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        held.emplace_back(row.text(0));
    });
    return held;
}

namespace {

/// `lock` stands behind the SELECT.
GroupLocks read_locks(
    Transaction& transaction,
    std::string_view lock,
    std::span<const std::string_view> groups
) {
    const std::string sql = fmt::format(
        kGroupLocks, fmt::arg("by_id", transaction.dialect().by_id), fmt::arg("lock", lock)
    );
    GroupLocks locks;
    query_for_ids(transaction, {.sql = sql, .columns = 4}, {.ids = groups}, [&](const Row& row) {
        locks.emplace(
            row.text(0), GroupLock{std::string(row.text(1)), row.integer(2), row.time(3)}
        );
    });
    return locks;
}

/// Leaves in `groups` what the claim has just taken, and in `locks` what others hold.
void take_out_own(GroupLocks& locks, const LockClaim& claim, GroupCounts& groups) {
    std::erase_if(groups, [&](const auto& wanted) {
        const auto lock = locks.find(wanted.first);
        const bool is_own = lock != locks.end() && lock->second.owner == claim.owner &&
                            lock->second.claimed == wanted.second &&
                            lock->second.began == claim.until;
        if (is_own) {
            locks.erase(lock);
        }
        return !is_own;
    });
}

}  // namespace

GroupLocks locks_for_update(Transaction& transaction, std::span<const std::string_view> groups) {
    return read_locks(transaction, transaction.dialect().for_no_key_update, groups);
}

bool HeldGroups::contain(std::string_view group) const {
    return at_rest.contains(group) || busy.contains(group);
}

HeldGroups find_held(Transaction& transaction, std::span<const std::string_view> groups) {
    const std::string_view skip_locked = transaction.dialect().no_key_skip_locked;
    if (skip_locked.empty()) {
        return {.at_rest = locks_for_update(transaction, groups), .busy = {}};
    }
    // What is not there is not locked, so that most claims read once.
    const GroupLocks all = read_locks(transaction, "", groups);
    if (all.empty()) {
        return {};
    }
    const std::vector<std::string_view> names = keys_in(all);
    HeldGroups held{.at_rest = read_locks(transaction, skip_locked, names), .busy = {}};
    for (const std::string_view group : names) {
        if (!held.at_rest.contains(group)) {
            held.busy.emplace(group);
        }
    }
    return held;
}

GroupLocks take_groups(Transaction& transaction, const LockClaim& claim, GroupCounts& groups) {
    const Dialect& dialect = transaction.dialect();
    NewRows rows{
        .table = "JS_EXCLUSIVE",
        .columns = kTaken,
        .insert = dialect.insert_if_absent,
        .behind = dialect.if_absent,
    };
    for (const auto& [group, claimed] : groups) {
        rows.values.insert(
            rows.values.end(), {group, claim.owner, claim.until, claim.until, claimed}
        );
    }
    const std::int64_t taken = insert_all(transaction, rows);
    if (std::cmp_equal(taken, groups.size())) {
        return {};
    }
    GroupLocks others = find_held(transaction, keys_in(groups)).at_rest;
    take_out_own(others, claim, groups);
    if (!std::cmp_equal(taken, groups.size())) {
        throw DbError(DbErrorKind::conflict, "two claims have just taken the same groups");
    }
    return others;
}

void count_claimed(Transaction& transaction, const LockClaim& claim, const GroupCounts& groups) {
    set_numbers(transaction, kCount, claim, 4, groups);
}

void begin_again(Transaction& transaction, const LockClaim& claim, const GroupCounts& groups) {
    set_numbers(transaction, kBeginAgain, claim, 3, groups);
}

std::vector<std::string_view> extend_groups(
    Transaction& transaction,
    const LockClaim& claim,
    std::span<const std::string_view> groups
) {
    const std::string sql = native(kExtend, transaction.dialect());
    const IdListParameters parameters{
        .before = {claim.until, claim.until}, .ids = groups, .after = {claim.owner}};
    const std::int64_t extended = execute_for_ids(transaction, sql, parameters);
    std::vector<std::string_view> lost;
    if (std::cmp_equal(extended, groups.size())) {
        return lost;
    }
    const std::vector<std::string> held = held_groups(transaction, claim.owner, groups);
    std::ranges::copy_if(groups, std::back_inserter(lost), [&](std::string_view group) {
        return !std::ranges::binary_search(held, group);
    });
    return lost;
}

void free_groups(
    Transaction& transaction,
    std::string_view owner,
    std::span<const std::string_view> groups
) {
    const std::string sql = native(kFree, transaction.dialect());
    execute_for_ids(transaction, sql, {.ids = groups, .after = {owner}});
}

namespace {

using schema::ExclusiveOver;
using schema::Job;

GroupCounts groups_of(const std::vector<Job>& jobs, ExclusiveOver over) {
    GroupCounts wanted;
    for (const Job& job : jobs) {
        if (const std::string_view group = schema::exclusive_group(job, over); !group.empty()) {
            ++wanted[group];
        }
    }
    return wanted;
}

/// How many jobs of each group the claim gets.
struct Shares {
    GroupCounts taken;   ///< Of groups that nobody held.
    GroupCounts joined;  ///< Of groups that its owner holds already.
};

Shares share_out(const GroupCounts& wanted, const HeldGroups& held, std::string_view owner) {
    Shares shares;
    for (const auto& [group, count] : wanted) {
        const auto lock = held.at_rest.find(group);
        if (!held.contain(group)) {
            shares.taken.emplace(group, schema::may_claim_of_group(0, count));
        } else if (lock != held.at_rest.end() && lock->second.owner == owner) {
            const auto share = schema::may_claim_of_group(lock->second.claimed, count);
            if (share > 0) {
                shares.joined.emplace(group, share);
            }
        }
    }
    return shares;
}

/// What becomes of a job: the claim gets it, it waits for its group, or it stays free.
enum class Place { in, waits, stays };

/// For each job what becomes of it, in their order. `shares` have what the claim gets, and `known`
/// are the groups of which it has read who holds them.
std::vector<Place> places_of(
    const std::vector<Job>& jobs,
    GroupCounts shares,
    const std::set<std::string_view>& known,
    ExclusiveOver over
) {
    std::vector<Place> places;
    places.reserve(jobs.size());
    for (const Job& job : jobs) {
        const std::string_view group = schema::exclusive_group(job, over);
        const auto share = shares.find(group);
        if (group.empty() || (share != shares.end() && share->second-- > 0)) {
            places.push_back(Place::in);
        } else {
            places.push_back(known.contains(group) ? Place::waits : Place::stays);
        }
    }
    return places;
}

/// Leaves those that are in, and returns those that wait.
std::vector<WaitingJob>
take_others(std::vector<Job>& jobs, const std::vector<Place>& places, ExclusiveOver over) {
    std::vector<WaitingJob> waiting;
    std::vector<Job> kept;
    kept.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (places[i] == Place::in) {
            kept.push_back(std::move(jobs[i]));
        } else if (places[i] == Place::waits) {
            const std::string_view group = schema::exclusive_group(jobs[i], over);
            waiting.push_back({.group = std::string(group), .id = jobs[i].id});
        } else if (schema::waits_for_limit(jobs[i])) {
            // Its place among those that wait for the limit is given up already.
            throw DbError(DbErrorKind::conflict, "the group of a limited job is being changed");
        }
    }
    jobs = std::move(kept);
    return waiting;
}

}  // namespace

JoinedGroups join_groups(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    std::vector<Job>& jobs
) {
    const ExclusiveOver over = context.exclusive_over;
    JoinedGroups joined;
    const GroupCounts wanted = groups_of(jobs, over);
    if (wanted.empty()) {
        return joined;
    }
    const std::vector<std::string_view> names = keys_in(wanted);
    // Kept until the transaction ends, however it does.
    transaction.on_commit([turn = context.turns.wait_for(names)] {});
    const HeldGroups held = find_held(transaction, names);
    Shares shares = share_out(wanted, held, claim.owner);
    const GroupLocks others = take_groups(transaction, claim, shares.taken);
    count_claimed(transaction, claim, shares.joined);
    joined.taken.insert(shares.taken.begin(), shares.taken.end());
    shares.taken.merge(shares.joined);
    std::set<std::string_view> known;
    for (const auto& [group, share] : shares.taken) {
        known.insert(group);
    }
    for (const auto& [group, lock] : held.at_rest) {
        known.insert(group);
    }
    for (const auto& [group, lock] : others) {
        if (lock.owner != claim.owner) {
            known.insert(group);
        }
    }
    // Decided before any job moves, because the names are borrowed from the jobs.
    const std::vector<Place> places = places_of(jobs, std::move(shares.taken), known, over);
    if (std::ranges::any_of(places, [](Place place) { return place != Place::in; })) {
        const auto left = std::ranges::find(places, Place::stays);
        if (left != places.end()) {
            joined.first_left = jobs[static_cast<std::size_t>(left - places.begin())].id;
        }
        const std::vector<WaitingJob> waiting = take_others(jobs, places, over);
        let_wait(transaction, kForExclusive, waiting);
        joined.waiting = waiting.size();
    }
    return joined;
}

bool join_group_alone(
    Transaction& transaction,
    const LockClaim& claim,
    ExclusiveOver over,
    const Job& job
) {
    const std::string_view group = schema::exclusive_group(job, over);
    if (group.empty()) {
        return true;
    }
    GroupCounts taken{{group, 1}};
    (void)take_groups(transaction, claim, taken);
    return !taken.empty();
}

}  // namespace jobstrand::persistence
