#include "persistence/unique/key_holders.hpp"

#include "persistence/rows/job_address.hpp"
#include "persistence/rows/job_table.hpp"

#include <algorithm>
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

}  // namespace jobstrand::persistence
