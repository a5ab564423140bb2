#include "persistence/limits/limit_slots.hpp"

#include "persistence/limits/waiting_jobs.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kGroups = R"sql(
    SELECT GROUP_, USED_UNTIL_
    FROM JS_LIMITED {by_id}
    WHERE GROUP_ IN (...)
    ORDER BY GROUP_
    {for_update})sql";

constexpr std::string_view kUseRate = R"sql(
    UPDATE JS_LIMITED
    SET USED_UNTIL_ = ?
    WHERE GROUP_ = ?)sql";

constexpr std::string_view kMakeGroup = R"sql(
    {insert_if_absent} INTO JS_LIMITED (GROUP_)
    VALUES (?)
    {if_absent})sql";

constexpr std::string_view kSlots = R"sql(
    SELECT GROUP_, ID_, OWNER_
    FROM JS_SLOT {by_id}
    WHERE GROUP_ IN (...))sql";

constexpr std::string_view kOwners = R"sql(
    SELECT ID_, LOCK_OWNER_
    FROM ACT_RU_JOB {by_id}
    WHERE ID_ IN (...))sql";

constexpr std::string_view kDeleteSlots = R"sql(
    {delete_where} GROUP_ = ? AND ID_ IN (...))sql";

constexpr std::array<std::string_view, 3> kSlotColumns{"GROUP_", "ID_", "OWNER_"};

struct SlotRow {
    LimitSlot slot;
    std::string owner;
};

template <typename Source>
std::vector<SlotRow>
all_slots(Source& source, const Dialect& dialect, std::span<const std::string_view> groups) {
    const std::string sql = fmt::format(kSlots, fmt::arg("by_id", dialect.by_id));
    std::vector<SlotRow> slots;
    query_for_ids(source, {.sql = sql, .columns = 3}, {.ids = groups}, [&](const Row& row) {
        slots.push_back(
            {.slot = {.group = std::string(row.text(0)), .id = std::string(row.text(1))},
             .owner = std::string(row.text(2))}
        );
    });
    return slots;
}

using OwnersById = std::map<std::string, std::string, std::less<>>;

template <typename Source>
OwnersById owners_of(Source& source, const Dialect& dialect, const std::vector<SlotRow>& slots) {
    std::vector<std::string_view> ids;
    for (const SlotRow& row : slots) {
        ids.emplace_back(row.slot.id);
    }
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    const std::string sql = fmt::format(kOwners, fmt::arg("by_id", dialect.by_id));
    OwnersById owners;
    query_for_ids(source, {.sql = sql, .columns = 2}, {.ids = ids}, [&](const Row& row) {
        owners.emplace(row.text(0), row.text(1));
    });
    return owners;
}

/// Rows of JS_LIMITED.
struct GroupsRead {
    std::vector<std::string> found;  ///< In ascending order.
    UsedRates used;
};

template <typename Source>
GroupsRead read_groups(
    Source& source,
    const Dialect& dialect,
    std::string_view for_update,
    std::span<const std::string_view> groups
) {
    const std::string sql =
        fmt::format(kGroups, fmt::arg("by_id", dialect.by_id), fmt::arg("for_update", for_update));
    GroupsRead read;
    query_for_ids(source, {.sql = sql, .columns = 2}, {.ids = groups}, [&](const Row& row) {
        read.found.emplace_back(row.text(0));
        if (!row.is_null(1)) {
            const std::chrono::microseconds used(row.integer(1));
            read.used.emplace(row.text(0), schema::UsedUntil(used));
        }
    });
    std::ranges::sort(read.found);
    return read;
}

template <typename Source>
SlotsRead read_from(
    Source& source,
    const Dialect& dialect,
    std::string_view owner,
    std::span<const std::string_view> groups
) {
    SlotsRead read;
    std::vector<SlotRow> slots = all_slots(source, dialect, groups);
    const OwnersById owners = owners_of(source, dialect, slots);
    for (SlotRow& row : slots) {
        const auto holder = owners.find(row.slot.id);
        if (holder == owners.end() || holder->second != row.owner) {
            read.stale.push_back(std::move(row.slot));
            continue;
        }
        schema::GroupLoad& load = read.loads[row.slot.group];
        ++load.running;
        load.here += row.owner == owner ? 1 : 0;
    }
    return read;
}

}  // namespace

schema::GroupLoad load_of(std::string_view group, const GroupLoads& loads, const UsedRates& used) {
    schema::GroupLoad load;
    if (const auto runs = loads.find(group); runs != loads.end()) {
        load = runs->second;
    }
    if (const auto rate = used.find(group); rate != used.end()) {
        load.used_until = rate->second;
    }
    return load;
}

UsedRates lock_limited(Transaction& transaction, std::span<const std::string_view> groups) {
    const Dialect& dialect = transaction.dialect();
    GroupsRead read = read_groups(transaction, dialect, dialect.for_update, groups);
    const std::string make = fmt::format(
        kMakeGroup,
        fmt::arg("insert_if_absent", dialect.insert_if_absent),
        fmt::arg("if_absent", dialect.if_absent)
    );
    for (const std::string_view group : groups) {
        if (!std::ranges::binary_search(read.found, group) &&
            transaction.execute(make, {group}) == 0) {
            throw DbError(DbErrorKind::conflict, "another node has just made a group of a limit");
        }
    }
    return std::move(read.used);
}

UsedRates read_used_rates(Connection& connection, std::span<const std::string_view> groups) {
    return read_groups(connection, connection.dialect(), "", groups).used;
}

void write_used_rate(Transaction& transaction, std::string_view group, schema::UsedUntil until) {
    const std::int64_t micros = until.time_since_epoch().count();
    transaction.execute(kUseRate, {micros, group});
}

SlotsRead read_slots(
    Connection& connection,
    std::string_view owner,
    std::span<const std::string_view> groups
) {
    return read_from(connection, connection.dialect(), owner, groups);
}

SlotsRead read_slots(
    Transaction& transaction,
    std::string_view owner,
    std::span<const std::string_view> groups
) {
    return read_from(transaction, transaction.dialect(), owner, groups);
}

void take_slots(
    Transaction& transaction,
    std::string_view owner,
    std::span<const LimitSlot> slots
) {
    NewRows rows{.table = "JS_SLOT", .columns = kSlotColumns};
    for (const LimitSlot& slot : slots) {
        rows.values.insert(
            rows.values.end(), {std::string_view(slot.group), std::string_view(slot.id), owner}
        );
    }
    insert_all(transaction, rows);
}

void delete_slots(Transaction& transaction, std::span<const LimitSlot> slots) {
    std::map<std::string_view, std::vector<std::string_view>> by_group;
    for (const LimitSlot& slot : slots) {
        by_group[slot.group].emplace_back(slot.id);
    }
    const std::string sql = delete_from(transaction.dialect(), "JS_SLOT", kDeleteSlots);
    for (const auto& [group, ids] : by_group) {
        execute_for_ids(transaction, sql, {.before = {group}, .ids = ids});
    }
}

namespace {

using schema::Job;
using schema::JobLimits;
using schema::LimitedGroup;

/// Of each job its groups, in the order of the jobs.
using GroupsOfJobs = std::vector<std::vector<LimitedGroup>>;

GroupsOfJobs limited_groups_of(const JobLimits& limits, const std::vector<Job>& jobs) {
    GroupsOfJobs groups;
    groups.reserve(jobs.size());
    for (const Job& job : jobs) {
        groups.push_back(limits.groups_of(job));
    }
    return groups;
}

/// What may start of a group.
struct GroupRoom {
    LimitedGroup group;
    schema::GroupLoad load = {};
    std::int64_t found = 0;  ///< How many more.
    std::int64_t left = 0;   ///< Of those, after the ones that do.
};

using LimitRooms = std::map<std::string_view, GroupRoom>;

LimitRooms all_groups(const GroupsOfJobs& groups) {
    LimitRooms rooms;
    for (const auto& of_job : groups) {
        for (const LimitedGroup& group : of_job) {
            rooms.emplace(group.name, GroupRoom{.group = group});
        }
    }
    return rooms;
}

/// Until the transaction ends nobody else changes what it finds.
void look_for_room(Transaction& transaction, const LockClaim& claim, LimitRooms& rooms) {
    const std::vector<std::string_view> names = keys_in(rooms);
    const UsedRates used = lock_limited(transaction, names);
    const SlotsRead slots = read_slots(transaction, claim.owner, names);
    delete_slots(transaction, slots.stale);
    for (auto& [name, room] : rooms) {
        room.load = load_of(name, slots.loads, used);
        room.found = room.left = schema::room_in(room.group, room.load, claim.now);
    }
}

void use_rates(Transaction& transaction, schema::TimePoint now, const LimitRooms& rooms) {
    for (const auto& [name, room] : rooms) {
        const std::int64_t started = room.found - room.left;
        if (room.group.rate && started > 0) {
            const auto until =
                schema::used_after(*room.group.rate, room.load.used_until, now, started);
            write_used_rate(transaction, name, until);
        }
    }
}

/// nullptr: all have room.
const LimitedGroup* first_full(const std::vector<LimitedGroup>& groups, const LimitRooms& rooms) {
    const auto full = std::ranges::find_if(groups, [&](const LimitedGroup& group) {
        return rooms.at(group.name).left == 0;
    });
    return full == groups.end() ? nullptr : &*full;
}

}  // namespace

std::size_t join_limits(
    Transaction& transaction,
    const LockClaim& claim,
    const JobLimits& limits,
    std::size_t most,
    std::vector<Job>& jobs
) {
    if (limits.are_none()) {
        return 0;
    }
    const GroupsOfJobs groups = limited_groups_of(limits, jobs);
    LimitRooms rooms = all_groups(groups);
    if (rooms.empty()) {
        return 0;
    }
    look_for_room(transaction, claim, rooms);
    std::vector<LimitSlot> taken;
    std::vector<WaitingJob> waiting;
    std::vector<Job> kept;
    kept.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const LimitedGroup* full = first_full(groups[i], rooms);
        if (full == nullptr && !groups[i].empty() && most == 0) {
            full = &groups[i].front();
        }
        if (full != nullptr) {
            waiting.push_back({.group = full->name, .id = jobs[i].id});
            continue;
        }
        most -= groups[i].empty() ? 0U : 1U;
        for (const LimitedGroup& group : groups[i]) {
            --rooms.at(group.name).left;
            taken.push_back({.group = group.name, .id = jobs[i].id});
        }
        kept.push_back(std::move(jobs[i]));
    }
    jobs = std::move(kept);
    // A job that was given back may still have the slot of its former start.
    delete_slots(transaction, taken);
    take_slots(transaction, claim.owner, taken);
    use_rates(transaction, claim.now, rooms);
    let_wait(transaction, kForLimit, waiting);
    return waiting.size();
}

}  // namespace jobstrand::persistence
