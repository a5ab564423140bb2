#include "persistence/limits/join_limits.hpp"

#include "persistence/exclusive/waiting_jobs.hpp"
#include "persistence/limits/limit_slots.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

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
    std::vector<std::string_view> names;
    for (const auto& [name, room] : rooms) {
        names.push_back(name);
    }
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
