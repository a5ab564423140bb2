#include "persistence/rows/insert_plainly.hpp"

#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/sql/sql_time.hpp"

#include <algorithm>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::PlacedJob;

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
