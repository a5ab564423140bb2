#include "deadletter/admin/job_admin.hpp"

#include "deadletter/bulk/bulk_change.hpp"
#include "deadletter/bulk/item_answer.hpp"

namespace jobstrand::deadletter {

using persistence::JobAnswer;
using persistence::SuspensionScope;
using schema::JobPlace;

BulkCounts JobAdmin::fire(const std::vector<std::string>& ids, const BulkWatch& watch) {
    const auto fire = [&](const std::string& id) { return store_.fire_timer(id, clock_.now()); };
    return change_timers(ids, fire, watch);
}

BulkCounts JobAdmin::reschedule(
    const std::vector<std::string>& ids,
    schema::TimePoint due_date,
    const BulkWatch& watch
) {
    const auto reschedule = [&](const std::string& id) {
        return store_.reschedule_timer(id, due_date, clock_.now());
    };
    return change_timers(ids, reschedule, watch);
}

BulkCounts JobAdmin::suspend(
    SuspensionScope scope,
    const std::vector<std::string>& ids,
    const BulkWatch& watch
) {
    const auto suspend = [&](const std::string& id) -> ItemResult {
        if (store_.is_of_engine(scope, id)) {
            return refused_as_of_engine(id);
        }
        return {.id = id, .moved = store_.suspend(scope, id, clock_.now(), watch.on_moved)};
    };
    return change_each(ids, suspend, watch);
}

BulkCounts JobAdmin::activate(
    SuspensionScope scope,
    const std::vector<std::string>& ids,
    const BulkWatch& watch
) {
    const auto activate = [&](const std::string& id) -> ItemResult {
        if (store_.is_of_engine(scope, id)) {
            return refused_as_of_engine(id);
        }
        return {.id = id, .moved = store_.activate(scope, id, clock_.now(), watch.on_moved)};
    };
    return change_each(ids, activate, watch);
}

template <typename Change>
BulkCounts JobAdmin::change_timers(
    const std::vector<std::string>& ids,
    const Change& change,
    const BulkWatch& watch
) {
    // Which series a timer carries on is read before: a timer that has fired carries none on.
    const auto change_one = [&](const std::string& id) {
        const auto before = store_.find(id);
        ItemResult item = result_of(store_, id, change(id));
        if (before && !before->job.repeat.empty()) {
            item.series = schema::series_key_of(before->job);
        }
        return item;
    };
    return change_each(ids, change_one, watch);
}

}  // namespace jobstrand::deadletter
