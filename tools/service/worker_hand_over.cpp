#include "tools/service/worker_hand_over.hpp"

#include "persistence/worker_store.hpp"
#include "schema/limits.hpp"
#include "tools/access/narrowed_store.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <new>
#include <set>
#include <tuple>
#include <utility>

namespace jobstrand::service {

using executor::WorkResult;
using persistence::HeldJob;
using persistence::WorkerAnswer;
using schema::JobPlace;
using std::chrono::steady_clock;

namespace {

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

Response handing_over(
    const ApiParts& api,
    WorkPool& pool,
    Response response,
    const std::string& worker,
    const std::vector<schema::Job>& jobs
) {
    if (jobs.empty()) {
        return response;
    }
    std::vector<persistence::HeldJob> held;
    held.reserve(jobs.size());
    for (const schema::Job& job : jobs) {
        held.push_back({.id = job.id, .revision = job.revision});
    }
    response.undelivered = [&api, &pool, worker, held = std::move(held)] {
        pool.post([&api, worker, held] {
            (void)api.engine.workers().give_back(worker, held);
            api.log.write(
                schema::LogLevel::info,
                "a worker hung up before it got its jobs, which are free again",
                {{"worker", worker}, {"jobs", held.size()}}
            );
        });
    };
    return response;
}

namespace {

/// How often it is looked for jobs that nobody here has told of: those of other nodes, and those
/// of workers whose locks have ended.
constexpr std::chrono::seconds kLook{1};

}  // namespace

/// What was asked for and is not there: others who want the same need not ask again.
class WorkWaits::Wants {
public:
    void add(const executor::AcquireOrder& order) { wants_.insert(key_of(order)); }
    [[nodiscard]] bool has(const executor::AcquireOrder& order) const {
        return wants_.contains(key_of(order));
    }

private:
    using Names = std::vector<std::string>;
    using Key = std::
        tuple<Names, Names, std::optional<std::string>, std::optional<std::string>, Names, Names>;

    /// Who asks for somebody names a user or a group, and who asks for nobody neither.
    static Key key_of(const executor::AcquireOrder& order) {
        const WorkCandidate candidate = order.candidate.value_or(WorkCandidate{});
        return {
            order.topics,
            order.tenants,
            order.tenant,
            order.scope_type,
            {candidate.user},
            candidate.groups};
    }

    std::set<Key> wants_;
};

WorkWaits::WorkWaits(executor::WorkerBroker& broker)
    : broker_(broker), thread_([this] { run(); }) {}

WorkWaits::~WorkWaits() {
    stop();
}

bool WorkWaits::add(executor::AcquireOrder order, schema::Duration wait, Answer answer) {
    const auto longest = std::chrono::duration_cast<schema::Duration>(kLongest);
    const auto until = steady_clock::now() + std::clamp(wait, schema::Duration::zero(), longest);
    const std::scoped_lock lock(mutex_);
    if (count_ >= kWaiting || is_stopping_) {
        return false;
    }
    ++count_;
    fresh_.push_back({.order = std::move(order), .until = until, .answer = std::move(answer)});
    something_.notify_one();
    return true;
}

void WorkWaits::news() {
    const std::scoped_lock lock(mutex_);
    has_news_ = true;
    something_.notify_one();
}

void WorkWaits::finish() {
    const std::scoped_lock lock(mutex_);
    is_finishing_ = true;
    something_.notify_one();
}

void WorkWaits::stop() {
    {
        const std::scoped_lock lock(mutex_);
        is_stopping_ = true;
    }
    something_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void WorkWaits::run() {
    while (true) {
        const Turn turn = next_turn();
        if (turn.is_over) {
            return;
        }
        // Defended catch: without the memory for an answer, who waits for it waits on.
        try {
            serve(turn.are_all_looked_for);
            end_waits(turn.is_last_chance);
        } catch (const std::bad_alloc&) {
            next_look_ = steady_clock::now() + kLook;
        }
        drop_answered();
    }
}

/// Sleeps until somebody comes, hears something, or has waited long enough.
WorkWaits::Turn WorkWaits::next_turn() {
    std::unique_lock lock(mutex_);
    const auto is_something = [this] {
        return is_stopping_ || has_news_ || !fresh_.empty() || (is_finishing_ && !parked_.empty());
    };
    if (parked_.empty()) {
        something_.wait(lock, is_something);
    } else {
        const auto first_end = std::ranges::min(parked_, {}, &Waiting::until).until;
        something_.wait_until(lock, std::min(first_end, next_look_), is_something);
    }
    const auto now = steady_clock::now();
    const Turn turn{
        .are_all_looked_for = std::exchange(has_news_, false) || now >= next_look_,
        .is_last_chance = is_finishing_,
        .is_over = is_stopping_};
    if (turn.are_all_looked_for || parked_.empty()) {
        next_look_ = now + kLook;
    }
    first_fresh_ = parked_.size();
    std::ranges::move(fresh_, std::back_inserter(parked_));
    fresh_.clear();
    return turn;
}

/// Those who came last are looked for in any case.
void WorkWaits::serve(bool are_all_looked_for) {
    Wants in_vain;
    for (std::size_t i = 0; i < parked_.size(); ++i) {
        const bool is_looked_for = are_all_looked_for || i >= first_fresh_;
        if (is_looked_for && !in_vain.has(parked_[i].order) && !is_served(parked_[i])) {
            in_vain.add(parked_[i].order);
        }
    }
}

bool WorkWaits::is_served(Waiting& one) {
    // Defended catch: what one request meets is its own answer.
    try {
        std::vector<schema::Job> jobs = broker_.acquire(one.order);
        if (jobs.empty()) {
            return false;
        }
        one.is_answered = true;
        one.answer.take(std::move(jobs));
    } catch (const std::exception& error) {
        one.is_answered = true;
        one.answer.fail(error);
    }
    return true;
}

void WorkWaits::end_waits(bool are_all_over) {
    const auto now = steady_clock::now();
    for (Waiting& one : parked_) {
        if (!one.is_answered && (are_all_over || one.until <= now)) {
            one.is_answered = true;
            one.answer.take({});
        }
    }
}

void WorkWaits::drop_answered() {
    const std::size_t count =
        std::erase_if(parked_, [](const Waiting& one) { return one.is_answered; });
    const std::scoped_lock lock(mutex_);
    count_ -= count;
}

}  // namespace jobstrand::service
