#include "persistence/unique/key_holders.hpp"

#include "persistence/rows/job_address.hpp"
#include "persistence/rows/job_table.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::HolderState;
using schema::Job;
using schema::JobPlace;
using schema::KeyHolder;
using schema::PlacedJob;

using Places = std::multimap<std::string, JobPlace, std::less<>>;

// By the id alone: tools that know only Flowable's columns may have moved a job without its key.
Places places_of_open(Transaction& transaction, std::vector<std::string_view> ids) {
    std::ranges::sort(ids);
    Places places;
    for (JobAddress& found : find_all(transaction, ids)) {
        if (found.place != JobPlace::dead_letter) {
            places.emplace(std::move(found.id), found.place);
        }
    }
    return places;
}

/// To MySQL and MariaDB, keys that differ by blanks at their ends are the same; ours have none.
std::string without_blanks(std::string_view key) {
    return std::string(key.substr(0, key.find_last_not_of(' ') + 1));
}

/// Without this job its series would end unasked.
bool is_needed_by_series(const Job& job) {
    return !job.repeat.empty() || !job.series.empty();
}

}  // namespace

KeyHolders holders_of(Transaction& transaction, const std::vector<TakenKey>& taken) {
    std::vector<std::string_view> ids;
    ids.reserve(taken.size());
    std::ranges::transform(taken, std::back_inserter(ids), &TakenKey::job);
    const Places open = places_of_open(transaction, std::move(ids));
    KeyHolders holders;
    for (const TakenKey& one : taken) {
        holders.emplace(
            without_blanks(one.key),
            KeyHolder{
                .job = one.job,
                .until = one.until,
                .state = open.contains(one.job) ? HolderState::busy : HolderState::gone}
        );
    }
    return holders;
}

std::vector<PlacedJob> waiting_for_update(
    Transaction& transaction,
    std::span<KeyHolder* const> holders,
    schema::TimePoint now
) {
    std::map<std::string_view, KeyHolder*> by_id;
    std::vector<std::string_view> ids;
    for (KeyHolder* holder : holders) {
        by_id.emplace(holder->job, holder);
        ids.emplace_back(holder->job);
    }
    std::map<JobPlace, std::vector<std::string_view>> by_place;
    for (const auto& [id, place] : places_of_open(transaction, std::move(ids))) {
        // To MySQL and MariaDB, an id with blanks behind it is the same; here it is another job's.
        if (const auto asked = by_id.find(id); asked != by_id.end()) {
            by_place[place].push_back(asked->first);
        }
    }
    std::vector<PlacedJob> waiting;
    for (const auto& [place, of_place] : by_place) {
        for (Job& row : untouched_for_update(transaction, place, of_place)) {
            const auto holder = by_id.find(row.id);
            if (holder != by_id.end() && !is_locked(row, now) && !is_needed_by_series(row)) {
                holder->second->state = HolderState::waiting;
                waiting.push_back({.place = place, .job = std::move(row)});
            }
        }
    }
    return waiting;
}

namespace {

bool is_held_by_another(const KeyHolders& holders, const KeyClaim& claim, schema::TimePoint now) {
    const auto holder = holders.find(claim.key);
    return holder != holders.end() && holder->second.job != claim.job &&
           schema::holds_key(holder->second, now);
}

/// What is left of its own period goes on to hold.
bool is_to_be_passed(const KeyHolders& holders, const KeyClaim& claim, schema::TimePoint now) {
    const auto holder = holders.find(claim.key);
    const bool is_own_period = holder != holders.end() && holder->second.job == claim.job &&
                               holder->second.until && *holder->second.until > now;
    return holder != holders.end() && !is_own_period;
}

}  // namespace

std::vector<std::string>
take_back_keys(Transaction& transaction, std::span<const Job> dead_letters, schema::TimePoint now) {
    std::vector<std::string> refused;
    std::map<std::string_view, KeyClaim> by_key;
    for (const Job& job : dead_letters) {
        const bool is_first =
            job.unique_key.empty() ||
            by_key.emplace(job.unique_key, KeyClaim{.key = job.unique_key, .job = job.id}).second;
        if (!is_first) {
            refused.push_back(job.id);
        }
    }
    std::vector<KeyClaim> claims;
    for (const auto& [key, claim] : by_key) {
        claims.push_back(claim);
    }
    const KeyHolders holders = holders_of(transaction, claim_keys(transaction, claims));
    std::vector<KeyClaim> passed;
    for (const KeyClaim& claim : claims) {
        if (is_held_by_another(holders, claim, now)) {
            refused.emplace_back(claim.job);
        } else if (is_to_be_passed(holders, claim, now)) {
            passed.push_back(claim);
        }
    }
    pass_keys(transaction, passed);
    return refused;
}

}  // namespace jobstrand::persistence
