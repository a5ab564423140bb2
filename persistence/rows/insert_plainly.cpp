#include "persistence/rows/insert_plainly.hpp"

#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/due_date_range.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"

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
    schema::Uuid7Source& ids,
    schema::TimePoint now
) {
    for (const PlacedJob& placed : jobs) {
        require_storable(placed.job.due_date, transaction.dialect());
    }
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
