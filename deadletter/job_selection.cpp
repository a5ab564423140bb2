#include "deadletter/job_selection.hpp"

#include <algorithm>
#include <iterator>

namespace jobstrand::deadletter {

using persistence::FieldCondition;
using persistence::JobAnswer;

JobStretches::JobStretches(
    persistence::OperatorStore& store,
    schema::JobPlace place,
    const persistence::JobFilter& filter,
    std::string_view after,
    std::size_t at_once
)
    : store_(store),
      place_(place),
      filter_(filter),
      is_cut_(filter.asks_payload() && filter.ids.empty()),
      at_once_(at_once),
      last_(after) {
    if (is_cut_) {
        filter_.fields.push_back({&schema::Job::id, FieldCondition::Match::not_above, std::string()}
        );
    }
}

bool JobStretches::next() {
    if (has_ended_) {
        return false;
    }
    after_ = last_;
    if (!is_cut_) {
        has_ended_ = true;
        return true;
    }
    const std::vector<std::string> ids = store_.list_ids(place_, {}, after_, at_once_);
    has_ended_ = ids.size() < at_once_;
    if (ids.empty()) {
        return false;
    }
    last_ = ids.back();
    filter_.fields.back().value = last_;
    return true;
}

std::vector<schema::Job> list_in(
    persistence::OperatorStore& store,
    schema::JobPlace place,
    const persistence::JobFilter& filter,
    std::string_view after,
    std::size_t limit
) {
    return first_of(
        JobStretches(store, place, filter, after),
        limit,
        [&](const persistence::JobFilter& stretch, const std::string& behind, std::size_t most) {
            return store.list(place, stretch, behind, most);
        }
    );
}

std::vector<std::string> ids_of(const std::vector<schema::Job>& jobs) {
    std::vector<std::string> ids;
    std::ranges::transform(jobs, std::back_inserter(ids), &schema::Job::id);
    return ids;
}

std::int64_t count_in(
    persistence::OperatorStore& store,
    schema::JobPlace place,
    const persistence::JobFilter& filter
) {
    JobStretches stretches(store, place, filter, "");
    std::int64_t total = 0;
    while (stretches.next()) {
        persistence::JobFilter stretch = stretches.filter();
        if (!stretches.after().empty()) {
            stretch.fields.push_back(
                {&schema::Job::id, FieldCondition::Match::above, stretches.after()}
            );
        }
        total += store.count(place, stretch);
    }
    return total;
}

namespace {

[[nodiscard]] ItemResult key_held(persistence::OperatorStore& store, const std::string& id) {
    ItemResult item{
        .id = id, .answer = ItemAnswer::refused, .refusal = Refusal::unique_key_is_held};
    if (const auto placed = store.find(id)) {
        item.unique_key = placed->job.unique_key;
        item.place = placed->place;
    }
    if (const auto owner = store.key_owner(item.unique_key)) {
        item.holder = owner->job;
    }
    return item;
}

}  // namespace

ItemResult result_of(persistence::OperatorStore& store, const std::string& id, JobAnswer answer) {
    switch (answer) {
        case JobAnswer::done:
            return {.id = id};
        case JobAnswer::locked:
            return {.id = id, .answer = ItemAnswer::locked};
        case JobAnswer::key_held:
            return key_held(store, id);
        case JobAnswer::not_found:
            break;
    }
    const auto placed = store.find(id);
    return {
        .id = id,
        .answer = ItemAnswer::not_found,
        .place = placed ? std::optional(placed->place) : std::nullopt,
    };
}

ItemResult refused_as_of_engine(const std::string& id) {
    return {.id = id, .answer = ItemAnswer::refused, .refusal = Refusal::is_of_engine};
}

const std::vector<std::string>* ids_in(const DeadSelection& selection) {
    const auto* const jobs = std::get_if<JobSelection>(&selection);
    return jobs != nullptr && jobs->is_by_id() ? &jobs->ids() : nullptr;
}

}  // namespace jobstrand::deadletter
