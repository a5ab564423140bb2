#include "deadletter/limit_admin.hpp"

#include <map>
#include <stdexcept>
#include <utility>

namespace jobstrand::deadletter {

using schema::JobLimit;

std::vector<LimitSummary> LimitAdmin::list() {
    const std::vector<JobLimit> limits = store_.limits();
    std::map<std::string, std::size_t, std::less<>> places;
    std::vector<LimitSummary> summaries;
    for (const JobLimit& limit : limits) {
        places.emplace(schema::group_name(limit.kind, limit.value), summaries.size());
        summaries.push_back({.limit = limit});
    }
    for (const persistence::GroupUse& use : store_.group_uses()) {
        auto place = places.find(use.group);
        if (place == places.end()) {
            place = places.find(
                use.group.substr(0, use.group.find(':') + 1) + std::string(schema::kEachValue)
            );
        }
        if (place != places.end()) {
            summaries[place->second].running += use.running;
            summaries[place->second].waiting += use.waiting;
        }
    }
    return summaries;
}

void LimitAdmin::set(const JobLimit& limit) {
    if (const std::string mistake = schema::mistake_in(limit); !mistake.empty()) {
        throw std::invalid_argument(mistake);
    }
    store_.set_limit(limit);
}

void LimitAdmin::remove(const std::vector<std::string>& names, const BulkWatch& watch) {
    const auto remove_one = [&](const std::string& name) {
        try {
            return store_.remove_limit(schema::limit_named(name));
        } catch (const std::invalid_argument&) {
            return false;  // No limit has such a name.
        }
    };
    change_those_there(names, remove_one, watch);
}

std::vector<std::string> LimitAdmin::awaited_by(const schema::Job& job) {
    std::vector<std::string> names;
    if (schema::waits_for_limit(job)) {
        const schema::JobLimits limits(store_.limits());
        for (schema::LimitedGroup& group : limits.groups_of(job)) {
            names.push_back(std::move(group.name));
        }
    }
    return names;
}

}  // namespace jobstrand::deadletter
