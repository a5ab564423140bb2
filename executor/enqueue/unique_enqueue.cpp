#include "executor/enqueue/job_producer.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

// How JobProducer enqueues jobs with unique keys.
namespace jobstrand::executor {

using schema::Enqueued;
using schema::Job;

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
