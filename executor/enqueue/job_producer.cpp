#include "executor/enqueue/job_producer.hpp"

#include "persistence/sql/sql_transaction.hpp"
#include "schema/concurrency.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace jobstrand::executor {

using persistence::NewSeries;
using schema::Enqueued;
using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

namespace {

std::vector<std::string> ids_of(const std::vector<PlacedJob>& jobs) {
    std::vector<std::string> ids;
    ids.reserve(jobs.size());
    for (const PlacedJob& placed : jobs) {
        ids.push_back(placed.job.id);
    }
    return ids;
}

bool repeats(const Job& job) {
    return !job.repeat.empty();
}

/// The jobs that begin a series, out of all.
std::vector<NewSeries> take_repeating(std::vector<PlacedJob>& jobs) {
    std::vector<NewSeries> series;
    for (PlacedJob& placed : jobs) {
        if (repeats(placed.job)) {
            series.push_back({.series = {}, .first_turn = placed.job});
        }
    }
    std::erase_if(jobs, [](const PlacedJob& placed) { return repeats(placed.job); });
    return series;
}

bool wants_key(const Job& job) {
    return !job.unique_key.empty();
}

/// With the rule for those who say nothing.
std::vector<UniqueJob> with_rules(std::vector<Job> jobs) {
    std::vector<UniqueJob> unique;
    unique.reserve(jobs.size());
    for (Job& job : jobs) {
        unique.push_back({.job = std::move(job), .rule = {}});
    }
    return unique;
}

std::vector<std::string> ids_of(const std::vector<schema::Enqueued>& jobs) {
    std::vector<std::string> ids;
    ids.reserve(jobs.size());
    std::ranges::transform(jobs, std::back_inserter(ids), &schema::Enqueued::id);
    return ids;
}

void show(const JobProducer::Seen& seen, std::span<const PlacedJob> stored) {
    if (seen) {
        seen(stored);
    }
}

}  // namespace

JobProducer::JobProducer(Dependencies dependencies, Rules rules)
    : use_(dependencies),
      defaults_(
          dependencies.clock,
          std::move(rules.retries),
          rules.is_prioritized,
          rules.on_failed_expression,
          dependencies.ids
      ),
      definitions_(dependencies.store, dependencies.clock, rules.records_definitions) {}

std::vector<std::string> JobProducer::enqueue(std::vector<Job> jobs, const Seen& seen) {
    if (std::ranges::any_of(jobs, wants_key)) {
        return ids_of(enqueue_unique(with_rules(std::move(jobs)), seen));
    }
    if (std::ranges::any_of(jobs, repeats)) {
        fill_in(nullptr, jobs);
        std::vector<std::string> ids;
        use_.store.in_transaction(
            [&](persistence::Transaction& transaction) { ids = enqueue(transaction, jobs, seen); },
            [&](persistence::Transaction&) { return use_.store.is_stored(jobs.front().id); }
        );
        return ids;
    }
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    const persistence::IdOrigin origin = origin_of_ids(jobs);
    std::vector<PlacedJob> stored = use_.store.insert(prepare(nullptr, std::move(jobs)), origin);
    show(seen, stored);
    std::vector<std::string> ids = ids_of(stored);
    hand_over(hand_over_of(std::move(stored)), locked_at);
    return ids;
}

std::vector<std::string> JobProducer::enqueue(
    persistence::Transaction& transaction,
    std::vector<Job> jobs,
    const Seen& seen
) {
    if (std::ranges::any_of(jobs, wants_key)) {
        return ids_of(enqueue_unique(transaction, with_rules(std::move(jobs)), seen));
    }
    const persistence::IdOrigin origin = origin_of_ids(jobs);
    return store(transaction, std::move(jobs), origin, seen);
}

persistence::IdOrigin JobProducer::origin_of_ids(const std::vector<Job>& jobs) {
    const bool is_any_given =
        std::ranges::any_of(jobs, [](const Job& job) { return !job.id.empty(); });
    return is_any_given ? persistence::IdOrigin::given : persistence::IdOrigin::made;
}

std::vector<std::string> JobProducer::store(
    persistence::Transaction& transaction,
    std::vector<Job> jobs,
    persistence::IdOrigin origin,
    const Seen& seen
) {
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    std::vector<PlacedJob> placed = prepare(&transaction, std::move(jobs));
    std::vector<std::string> ids = ids_of(placed);
    std::vector<NewSeries> series = take_repeating(placed);
    std::vector<PlacedJob> stored;
    if (!placed.empty()) {
        stored = use_.store.insert(transaction, std::move(placed), origin);
    }
    if (!series.empty()) {
        std::ranges::move(
            use_.store.create(transaction, std::move(series), use_.clock.now()),
            std::back_inserter(stored)
        );
    }
    show(seen, stored);
    hand_over_on_commit(transaction, std::move(stored), locked_at);
    return ids;
}

std::string JobProducer::start_series(schema::Series series, Job turn) {
    std::vector<Job> jobs{std::move(turn)};
    fill_in(nullptr, jobs);
    std::string key;
    use_.store.in_transaction(
        [&](persistence::Transaction& transaction) {
            key = start_series(transaction, series, jobs.front());
        },
        [&](persistence::Transaction&) { return use_.store.is_stored(jobs.front().id); }
    );
    return key;
}

std::string
JobProducer::start_series(persistence::Transaction& transaction, schema::Series series, Job turn) {
    return start_series(transaction, {.series = std::move(series), .first_turn = std::move(turn)});
}

std::string JobProducer::start_series(
    persistence::Transaction& transaction,
    NewSeries fresh,
    const Seen& seen
) {
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    if (wants_key(fresh.first_turn)) {
        throw std::invalid_argument(
            "uniqueKey does not go with a series: the key of the series is unique already"
        );
    }
    std::vector<Job> jobs{std::move(fresh.first_turn)};
    fill_in(&transaction, jobs);
    fresh.first_turn = std::move(jobs.front());
    std::vector<NewSeries> one;
    one.push_back(std::move(fresh));
    std::vector<PlacedJob> stored =
        use_.store.create(transaction, std::move(one), use_.clock.now());
    std::string key = stored.front().job.series;
    show(seen, stored);
    hand_over_on_commit(transaction, std::move(stored), locked_at);
    return key;
}

void JobProducer::fill_in(persistence::Transaction* transaction, std::vector<Job>& jobs) {
    defaults_.fill_in(jobs, *definitions_.of(transaction, jobs));
}

std::vector<PlacedJob>
JobProducer::prepare(persistence::Transaction* transaction, std::vector<Job> jobs) {
    fill_in(transaction, jobs);
    const schema::TimePoint now = use_.clock.now();
    const auto served = use_.intake.served();
    persistence::PageLimit room = use_.intake.room_for_handoffs();
    std::vector<PlacedJob> placed;
    placed.reserve(jobs.size());
    for (Job& job : jobs) {
        const JobPlace place = schema::place_of_new(job, now);
        // What may have to wait for another job of its instance is claimed like all others: to ask
        // here would keep the others of the instance waiting until the app commits. And what has
        // a key may still be replaced.
        const bool can_run = place == JobPlace::executable && !repeats(job) &&
                             !schema::may_exclude(job) && !wants_key(job);
        if (can_run && room.jobs > 0 && job.payload.size() <= room.bytes && served->contains(job)) {
            job.lock_owner = use_.intake.lock_owner();
            job.lock_expiration = now + use_.intake.lock_time();
            --room.jobs;
            room.bytes -= job.payload.size();
        }
        placed.push_back({.place = place, .job = std::move(job)});
    }
    return placed;
}

JobProducer::HandOver JobProducer::hand_over_of(std::vector<PlacedJob> jobs) {
    HandOver handed;
    for (PlacedJob& placed : jobs) {
        if (placed.place == JobPlace::timer) {
            const schema::TimePoint due = *placed.job.due_date;
            handed.first_due = std::min(handed.first_due.value_or(due), due);
        } else if (placed.place == JobPlace::executable && !placed.job.lock_owner.empty()) {
            handed.locked.push_back(std::move(placed.job));
        } else if (placed.place == JobPlace::executable) {
            handed.is_any_free = true;
        } else if (placed.place == JobPlace::external_worker) {
            handed.is_any_external = true;
        }
    }
    return handed;
}

// Strictly after the commit (R153): before it, a worker would not find the row. What the app has
// done to the rows in between counts, and not what is in memory; they are read again only then.
void JobProducer::hand_over_on_commit(
    persistence::Transaction& transaction,
    std::vector<PlacedJob> stored,
    schema::SteadyPoint locked_at
) {
    const auto handed = std::make_shared<HandOver>(hand_over_of(std::move(stored)));
    const int touches = transaction.app_touches();
    transaction.before_commit([this, &transaction, handed, touches] {
        if (transaction.app_touches() != touches && !handed->locked.empty()) {
            const std::size_t before = handed->locked.size();
            handed->locked = use_.store.read_again(transaction, std::move(handed->locked));
            handed->is_any_free = handed->is_any_free || handed->locked.size() < before;
        }
    });
    transaction.on_commit([this, locked_at, handed] { hand_over(std::move(*handed), locked_at); });
}

void JobProducer::hand_over(HandOver jobs, schema::SteadyPoint locked_at) {
    if (!jobs.locked.empty()) {
        use_.intake.accept(std::move(jobs.locked), locked_at);
    }
    if (jobs.is_any_free) {
        use_.wake_ups.jobs_are_there();
    }
    if (jobs.is_any_external) {
        use_.wake_ups.external_jobs_are_there();
    }
    if (jobs.first_due) {
        use_.wake_ups.timer_was_stored(*jobs.first_due);
    }
}

// How JobProducer enqueues jobs with unique keys.

namespace {

bool has_key(const UniqueJob& unique) {
    return !unique.job.unique_key.empty();
}

void refuse_bad_rules(const std::vector<UniqueJob>& jobs) {
    for (const UniqueJob& unique : jobs) {
        const std::string problem = schema::problem_of(unique.rule, unique.job.unique_key);
        if (!problem.empty()) {
            throw std::invalid_argument(problem);
        }
    }
}

std::vector<Job> plain_jobs(std::vector<UniqueJob> jobs) {
    std::vector<Job> plain;
    plain.reserve(jobs.size());
    for (UniqueJob& unique : jobs) {
        plain.push_back(std::move(unique.job));
    }
    return plain;
}

std::vector<Enqueued> all_added(std::vector<std::string> ids) {
    std::vector<Enqueued> enqueued;
    enqueued.reserve(ids.size());
    for (std::string& id : ids) {
        enqueued.push_back({.id = std::move(id)});
    }
    return enqueued;
}

}  // namespace

std::vector<Enqueued> JobProducer::enqueue_unique(std::vector<UniqueJob> jobs, const Seen& seen) {
    refuse_bad_rules(jobs);
    if (std::ranges::none_of(jobs, has_key)) {
        return all_added(enqueue(plain_jobs(std::move(jobs)), seen));
    }
    UniqueJobs filled = fill_in(nullptr, std::move(jobs));
    std::vector<Enqueued> enqueued;
    use_.store.in_transaction(
        [&](persistence::Transaction& transaction) {
            enqueued = store_unique(transaction, filled, seen);
        },
        [&](persistence::Transaction&) { return is_any_stored(filled.jobs, enqueued); }
    );
    return enqueued;
}

std::vector<Enqueued> JobProducer::enqueue_unique(
    persistence::Transaction& transaction,
    std::vector<UniqueJob> jobs,
    const Seen& seen
) {
    refuse_bad_rules(jobs);
    if (std::ranges::none_of(jobs, has_key)) {
        return all_added(enqueue(transaction, plain_jobs(std::move(jobs)), seen));
    }
    return store_unique(transaction, fill_in(&transaction, std::move(jobs)), seen);
}

JobProducer::UniqueJobs
JobProducer::fill_in(persistence::Transaction* transaction, std::vector<UniqueJob> jobs) {
    UniqueJobs filled;
    for (UniqueJob& unique : jobs) {
        filled.rules.push_back(unique.rule);
        filled.jobs.push_back(std::move(unique.job));
    }
    filled.ids = origin_of_ids(filled.jobs);
    fill_in(transaction, filled.jobs);
    return filled;
}

std::vector<Enqueued> JobProducer::store_unique(
    persistence::Transaction& transaction,
    const UniqueJobs& jobs,
    const Seen& seen
) {
    std::vector<Enqueued> enqueued = take_keys(transaction, jobs);
    std::vector<Job> added;
    for (std::size_t i = 0; i < jobs.jobs.size(); ++i) {
        if (enqueued[i].is_added) {
            added.push_back(jobs.jobs[i]);
        }
    }
    (void)store(transaction, std::move(added), jobs.ids, seen);
    return enqueued;
}

std::vector<Enqueued>
JobProducer::take_keys(persistence::Transaction& transaction, const UniqueJobs& jobs) {
    std::vector<persistence::KeyWish> wishes;
    for (std::size_t i = 0; i < jobs.jobs.size(); ++i) {
        const Job& job = jobs.jobs[i];
        if (!job.unique_key.empty()) {
            wishes.push_back({.key = job.unique_key, .job = job.id, .rule = jobs.rules[i]});
        }
    }
    const std::vector<Enqueued> taken = use_.store.take_keys(transaction, wishes, use_.clock.now());
    std::vector<Enqueued> all;
    all.reserve(jobs.jobs.size());
    auto next = taken.begin();
    for (const Job& job : jobs.jobs) {
        all.push_back(!job.unique_key.empty() ? *next++ : Enqueued{.id = job.id});
    }
    return all;
}

/// After a commit in doubt. The key tells of a job that has run already, for a period at least.
bool JobProducer::is_any_stored(std::span<const Job> jobs, std::span<const Enqueued> enqueued) {
    for (std::size_t i = 0; i < enqueued.size(); ++i) {
        if (!enqueued[i].is_added) {
            continue;
        }
        const auto owner = use_.store.key_owner(jobs[i].unique_key);
        if ((owner && owner->job == enqueued[i].id) || use_.store.is_stored(enqueued[i].id)) {
            return true;
        }
    }
    return false;
}

}  // namespace jobstrand::executor
