#include "persistence/rows/insert_jobs.hpp"

#include "persistence/enqueuer_store.hpp"
#include "persistence/history/history_book.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/concurrency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

namespace {

/// Jobs by their index among those to insert.
using JobsByIndex = std::map<std::size_t, PlacedJob>;

[[noreturn]] void refuse(std::string_view id, std::string_view why) {
    throw DbError(DbErrorKind::duplicate_key, fmt::format("the job {} {}", id, why));
}

// The primary keys see duplicates within one table only.
void require_new_ids(Transaction& transaction, std::span<const PlacedJob> jobs) {
    std::vector<std::string_view> ids = ids_of(jobs);
    std::ranges::sort(ids);
    if (const auto twice = std::ranges::adjacent_find(ids); twice != ids.end()) {
        refuse(*twice, "is there twice");
    }
    if (const auto existing = find_any(transaction, ids)) {
        refuse(
            existing->id,
            fmt::format("exists already, in the place {}", schema::name_of(existing->place))
        );
    }
}

JobsByIndex find_diverted(Transaction& transaction, std::span<const PlacedJob> jobs) {
    std::vector<const Job*> candidates;
    for (const PlacedJob& placed : jobs) {
        candidates.push_back(&placed.job);
    }
    const SuspendedScopes suspended =
        find_suspended(transaction, candidates, SuspensionMoment::insertion);
    JobsByIndex found;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (schema::can_be_suspended(jobs[i].place) && suspended.contain(jobs[i].job)) {
            found.emplace(i, diverted(jobs[i]));
        }
    }
    return found;
}

void insert_payloads(Transaction& transaction, std::span<const PlacedJob> jobs) {
    std::vector<ByteArray> payloads;
    for (const PlacedJob& placed : jobs) {
        if (is_stored_apart(placed.job)) {
            payloads.push_back({.id = placed.job.custom_values_id, .text = placed.job.payload});
        }
    }
    insert_byte_arrays(transaction, kPayloadName, payloads);
}

/// Only an app that writes for the engine itself adds jobs to its executions.
void count_new(Transaction& transaction, std::span<const PlacedJob* const> jobs) {
    ExecutionCounts counts(transaction);
    for (const PlacedJob* placed : jobs) {
        counts.enters(placed->place, placed->job);
    }
    counts.write();
}

/// One that may be due before the nodes look at the timers again.
bool is_timer(const PlacedJob* placed) {
    return placed->place == JobPlace::timer;
}

void log_created(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const PlacedJob* const> jobs
) {
    JobLogPage log(context.history);
    const schema::TimePoint now = context.clock.now();
    for (const PlacedJob* const placed : jobs) {
        log.add_created(placed->job, now);
    }
    log.write(transaction);
}

/// Returns the jobs that had to go to the suspended place. Leaves `jobs` as they are: when the
/// transaction is tried again, that may be decided differently.
JobsByIndex insert_all(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const PlacedJob> jobs,
    IdOrigin origin
) {
    for (const PlacedJob& placed : jobs) {
        require_storable(placed.job.due_date, transaction.dialect());
    }
    if (origin == IdOrigin::given) {
        require_new_ids(transaction, jobs);
    }
    JobsByIndex to_suspended = find_diverted(transaction, jobs);
    std::vector<const PlacedJob*> rows;
    rows.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto found = to_suspended.find(i);
        rows.push_back(found == to_suspended.end() ? &jobs[i] : &found->second);
    }
    std::ranges::sort(rows, {}, [](const PlacedJob* row) { return std::string_view(row->job.id); });
    insert_payloads(transaction, jobs);
    count_new(transaction, rows);
    insert_placed(transaction, rows);
    if (std::ranges::any_of(rows, is_timer)) {
        transaction.announce_jobs();
    }
    log_created(transaction, context, rows);
    return to_suspended;
}

std::vector<PlacedJob> with(std::vector<PlacedJob> jobs, JobsByIndex changes) {
    for (auto& [index, changed] : changes) {
        jobs[index] = std::move(changed);
    }
    return jobs;
}

/// Job ids may already be as long as the column, so they cannot name rows of ACT_GE_BYTEARRAY.
void give_payload_ids(std::vector<PlacedJob>& jobs, schema::FreshIds& ids) {
    for (PlacedJob& placed : jobs) {
        if (is_too_long_for_row(placed.job.payload)) {
            placed.job.custom_values_id = ids.next();
        }
    }
}

/// Frees those that the app has made exclusive jobs of an instance, or such that meet a limit: they
/// are claimed like all such.
void free_restricted(
    Transaction& transaction,
    const schema::JobLimits& limits,
    std::vector<Job>& jobs
) {
    const auto is_restricted = [&](const Job& job) {
        return schema::may_exclude(job) || limits.meets(job);
    };
    std::map<std::string, FencedIds> by_owner;
    for (const Job& job : jobs) {
        if (is_restricted(job)) {
            by_owner[job.lock_owner][job.revision].push_back(job.id);
        }
    }
    for (const auto& [owner, ids] : by_owner) {
        free_held(transaction, owner, ids);
    }
    std::erase_if(jobs, is_restricted);
}

/// Jobs that meet a limit are claimed like all such.
void free_limited(const schema::JobLimits& limits, std::vector<PlacedJob>& jobs) {
    if (limits.are_none()) {
        return;
    }
    for (PlacedJob& placed : jobs) {
        if (!placed.job.lock_owner.empty() && limits.meets(placed.job)) {
            placed.job.lock_owner.clear();
            placed.job.lock_expiration.reset();
        }
    }
}

}  // namespace

void EnqueuerStore::in_transaction(
    const std::function<void(Transaction&)>& work,
    const std::function<bool(Transaction&)>& was_committed
) {
    context_.runner.run(work, was_committed, Commit::alone);
}

std::vector<PlacedJob>
EnqueuerStore::insert(Transaction& transaction, std::vector<PlacedJob> jobs, IdOrigin ids) {
    free_limited(*context_.limits.current(), jobs);
    give_payload_ids(jobs, context_.ids);
    JobsByIndex to_suspended = insert_all(transaction, context_, jobs, ids);
    return with(std::move(jobs), std::move(to_suspended));
}

std::vector<Job> EnqueuerStore::read_again(Transaction& transaction, std::vector<Job> inserted) {
    std::map<std::string_view, const Job*> by_id;
    for (const Job& job : inserted) {
        by_id.emplace(job.id, &job);
    }
    JobRows rows = checked_for_update(transaction, JobPlace::executable, keys_in(by_id));
    std::erase_if(rows.jobs, [&](const Job& row) {
        const auto found = by_id.find(row.id);
        return found == by_id.end() || row.lock_owner != found->second->lock_owner;
    });
    free_restricted(transaction, *context_.limits.current(), rows.jobs);
    load_payloads(transaction, rows.jobs);
    return std::move(rows.jobs);
}

std::vector<PlacedJob> EnqueuerStore::insert(std::vector<PlacedJob> jobs, IdOrigin ids) {
    free_limited(*context_.limits.current(), jobs);
    give_payload_ids(jobs, context_.ids);
    JobsByIndex to_suspended;
    context_.runner.run(
        [&](Transaction& transaction) {
            to_suspended = insert_all(transaction, context_, jobs, ids);
        },
        [&](Transaction& transaction) { return find_any(transaction, ids_of(jobs)).has_value(); }
    );
    return with(std::move(jobs), std::move(to_suspended));
}

namespace {

void insert_payload(Transaction& transaction, Job& job, std::string id) {
    job.custom_values_id = std::move(id);
    const ByteArray payload{.id = job.custom_values_id, .text = job.payload};
    insert_byte_arrays(transaction, kPayloadName, std::span(&payload, 1));
}

/// In one order, so that two apps do not wait for each other in a circle.
std::vector<KeyClaim> keys_of(
    const std::vector<PlacedJob>& jobs,
    std::span<const schema::KeyRule> rules,
    schema::TimePoint now
) {
    std::vector<KeyClaim> keys;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Job& job = jobs[i].job;
        if (!job.unique_key.empty()) {
            keys.push_back({.key = job.unique_key, .job = job.id});
            if (rules[i].period) {
                keys.back().until = now + *rules[i].period;
            }
        }
    }
    std::ranges::sort(keys, {}, &KeyClaim::key);
    return keys;
}

std::vector<const Job*> jobs_in(schema::JobPlace place, const std::vector<PlacedJob>& jobs) {
    std::vector<const Job*> found;
    for (const PlacedJob& placed : jobs) {
        if (placed.place == place) {
            found.push_back(&placed.job);
        }
    }
    std::ranges::sort(found, {}, [](const Job* job) { return std::string_view(job->id); });
    return found;
}

}  // namespace

void insert_plainly(
    Transaction& transaction,
    std::vector<PlacedJob> jobs,
    std::span<const schema::KeyRule> rules,
    schema::Uuid7Source& ids,
    schema::TimePoint now
) {
    for (const PlacedJob& placed : jobs) {
        require_storable(placed.job.due_date, transaction.dialect());
    }
    insert_keys_plainly(transaction, keys_of(jobs, rules, now), now);
    for (PlacedJob& placed : jobs) {
        if (is_too_long_for_row(placed.job.payload)) {
            insert_payload(transaction, placed.job, ids.next(now));
        }
    }
    for (const schema::JobPlace place : schema::kJobPlaces) {
        insert_rows(transaction, place, jobs_in(place, jobs));
    }
    transaction.announce_jobs();
}

}  // namespace jobstrand::persistence
