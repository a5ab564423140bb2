#include "tools/service/workers/narrowed_workers.hpp"

#include "schema/limits.hpp"
#include "tools/access/narrowed_store.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace jobstrand::service {

namespace {

using executor::WorkResult;
using persistence::HeldJob;
using persistence::WorkerAnswer;
using schema::JobPlace;

[[nodiscard]] const std::string& id_of(const WorkResult& result) {
    return result.job.id;
}

[[nodiscard]] const std::string& id_of(const HeldJob& job) {
    return job.id;
}

/// `act` is told of those that the scope does not leave out; the others are not found.
template <typename Item, typename Act>
[[nodiscard]] std::vector<WorkerAnswer>
for_seen(const ApiParts& api, const Scope& scope, std::span<const Item> items, const Act& act) {
    if (!scope.is_narrow()) {
        return act(items);
    }
    std::vector<std::string> ids;
    std::ranges::transform(items, std::back_inserter(ids), [](const Item& item) {
        return id_of(item);
    });
    const auto seen = NarrowedStore(api.engine.store(), scope).seen(JobPlace::external_worker, ids);
    std::vector<Item> wanted;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (seen.contains(ids[i])) {
            wanted.push_back(items[i]);
            indices.push_back(i);
        }
    }
    // What the broker has against the request counts also where nothing is left of it.
    const std::vector<WorkerAnswer> given = act(std::span<const Item>(wanted));
    std::vector<WorkerAnswer> answers(items.size(), WorkerAnswer::not_found);
    for (std::size_t i = 0; i < given.size(); ++i) {
        answers[indices[i]] = given[i];
    }
    return answers;
}

[[nodiscard]] WorkerAnswer
answer_about(const HeldJob& job, const schema::Job& row, std::string_view worker) {
    const bool is_its_own =
        row.lock_owner == worker && job.revision.value_or(row.revision) == row.revision;
    return is_its_own ? WorkerAnswer::done : WorkerAnswer::not_held;
}

}  // namespace

executor::AcquireOrder within(const Scope& scope, executor::AcquireOrder order) {
    for (const std::string& topic : order.topics) {
        scope.require_topic(topic);
    }
    if (order.tenant) {
        scope.require_tenant(*order.tenant);
    } else {
        order.tenants = scope.tenants;
    }
    return order;
}

std::vector<WorkerAnswer>
NarrowedWorkers::finish(std::string_view worker, std::span<const WorkResult> results) const {
    return for_seen(api_, scope_, results, [&](std::span<const WorkResult> seen) {
        return broker().finish(worker, seen);
    });
}

bool NarrowedWorkers::take_back(std::string_view worker, const std::string& job) const {
    return NarrowedStore(api_.engine.store(), scope_).find(job) && broker().take_back(worker, job);
}

std::vector<WorkerAnswer> NarrowedWorkers::extend(
    std::string_view worker,
    std::span<const HeldJob> jobs,
    schema::Duration lock
) const {
    return for_seen(api_, scope_, jobs, [&](std::span<const HeldJob> seen) {
        return broker().extend(worker, seen, lock);
    });
}

std::vector<WorkerAnswer>
NarrowedWorkers::held(const std::string& worker, std::span<const HeldJob> jobs) const {
    return tell(worker, jobs, {});
}

std::vector<WorkerAnswer> NarrowedWorkers::tell(
    const std::string& worker,
    std::span<const HeldJob> jobs,
    std::span<const std::optional<schema::RunNews>> news
) const {
    std::vector<std::string> ids;
    std::ranges::transform(jobs, std::back_inserter(ids), &HeldJob::id);
    std::map<std::string, schema::Job, std::less<>> rows;
    NarrowedStore store(api_.engine.store(), scope_);
    for (schema::Job& row : store.list(JobPlace::external_worker, {.ids = ids}, {}, ids.size())) {
        rows.emplace(row.id, std::move(row));
    }
    std::vector<WorkerAnswer> answers;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto found = rows.find(jobs[i].id);
        answers.push_back(
            found == rows.end() ? WorkerAnswer::not_found
                                : answer_about(jobs[i], found->second, worker)
        );
        if (answers.back() == WorkerAnswer::done && i < news.size() && news[i]) {
            broker().tell(found->second, *news[i]);
        }
    }
    return answers;
}

std::vector<WorkerAnswer>
NarrowedWorkers::give_back(std::string_view worker, std::span<const HeldJob> jobs) const {
    return for_seen(api_, scope_, jobs, [&](std::span<const HeldJob> seen) {
        return broker().give_back(worker, seen);
    });
}

std::int64_t NarrowedWorkers::give_back_all(
    const std::string& worker,
    const std::optional<std::string>& tenant
) const {
    if (!scope_.is_narrow()) {
        return broker().give_back_all(worker, tenant);
    }
    persistence::JobFilter held{.fields = {persistence::equals(&schema::Job::lock_owner, worker)}};
    if (tenant) {
        scope_.require_tenant(*tenant);
        held.fields.push_back(persistence::equals(&schema::Job::tenant_id, *tenant));
    }
    NarrowedStore store(api_.engine.store(), scope_);
    std::int64_t released = 0;
    std::vector<std::string> ids;
    do {
        ids = store.list_ids(
            JobPlace::external_worker,
            held,
            ids.empty() ? std::string() : ids.back(),
            schema::limits::kJobsOfWorker
        );
        std::vector<HeldJob> jobs;
        std::ranges::transform(ids, std::back_inserter(jobs), [](const std::string& id) {
            return HeldJob{.id = id};
        });
        released += std::ranges::count(broker().give_back(worker, jobs), WorkerAnswer::done);
    } while (!ids.empty());
    return released;
}

}  // namespace jobstrand::service
