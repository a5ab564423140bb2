#include "deadletter/explain/explainer.hpp"

#include <utility>

namespace jobstrand::deadletter {

using schema::Job;
using schema::JobPlace;

JobFacts Explainer::facts_of(const std::string& id, const NeedOf& need_of) const {
    JobFacts facts{.id = id, .now = clock_.now(), .placed = stores_.jobs.find(id)};
    if (!facts.placed) {
        facts.is_a_series = stores_.series.find_series(id).has_value();
        return facts;
    }
    const Job& job = facts.placed->job;
    if (facts.placed->place == JobPlace::dead_letter) {
        const auto owner =
            job.unique_key.empty() ? std::nullopt : stores_.jobs.key_owner(job.unique_key);
        facts.key_holder = owner && owner->job != id ? owner->job : "";
        return facts;
    }
    facts.needs = job.needs.empty() ? need_of(job) : job.needs;
    add_way(facts);
    return facts;
}

void Explainer::add_way(JobFacts& facts) const {
    const Job& job = facts.placed->job;
    facts.suspended_by = stores_.jobs.suspensions_of(job);
    facts.nodes = stores_.nodes.nodes();
    facts.group = stores_.jobs.group_hold(job);
    const schema::JobLimits limits(stores_.limits.limits());
    for (schema::LimitedGroup& group : limits.groups_of(job)) {
        persistence::GroupRuns runs = stores_.limits.runs_of_group(group.name);
        facts.limits.push_back({.group = std::move(group), .runs = std::move(runs)});
    }
    if (!job.lock_owner.empty()) {
        facts.running_since = stores_.nodes.running_since(job.lock_owner, job.id, job.revision);
    }
}

}  // namespace jobstrand::deadletter
