#include "deadletter/admin/job_admin.hpp"
#include "deadletter/bulk/bulk_change.hpp"
#include "deadletter/bulk/item_answer.hpp"

// How JobAdmin suspends and activates single jobs.
namespace jobstrand::deadletter {

using persistence::SuspensionScope;
using schema::JobPlace;

ItemResult JobAdmin::suspend_one(const std::string& id) {
    if (store_.is_of_engine(SuspensionScope::job, id)) {
        return refused_as_of_engine(id);
    }
    const auto before = store_.find(id);
    if (!before) {
        return {.id = id, .answer = ItemAnswer::not_found};
    }
    if (before->place == JobPlace::dead_letter) {
        return {.id = id, .answer = ItemAnswer::skipped, .place = before->place};
    }
    const std::int64_t moved = store_.suspend(SuspensionScope::job, id, clock_.now());
    const auto after = store_.find(id);
    if (after && after->place != JobPlace::dead_letter) {
        return {.id = id, .moved = moved};
    }
    // It has just ended: nothing is to stay of the attempt.
    store_.activate(SuspensionScope::job, id, clock_.now());
    return {
        .id = id,
        .answer = after ? ItemAnswer::skipped : ItemAnswer::not_found,
        .place = after ? std::optional(after->place) : std::nullopt};
}

ItemResult JobAdmin::activate_one(const std::string& id) {
    if (store_.is_of_engine(SuspensionScope::job, id)) {
        return refused_as_of_engine(id);
    }
    const std::int64_t moved = store_.activate(SuspensionScope::job, id, clock_.now());
    if (moved > 0) {
        return {.id = id, .moved = moved};
    }
    const auto placed = store_.find(id);
    if (!placed) {
        return {.id = id, .answer = ItemAnswer::not_found};
    }
    return {.id = id, .answer = ItemAnswer::skipped, .place = placed->place};
}

BulkCounts JobAdmin::suspend_jobs(const std::vector<std::string>& ids, const BulkWatch& watch) {
    return change_each(
        ids, [this](const std::string& id) { return suspend_one(id); }, watch
    );
}

BulkCounts JobAdmin::activate_jobs(const std::vector<std::string>& ids, const BulkWatch& watch) {
    return change_each(
        ids, [this](const std::string& id) { return activate_one(id); }, watch
    );
}

}  // namespace jobstrand::deadletter
