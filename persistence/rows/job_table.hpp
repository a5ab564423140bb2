#pragma once

#include "persistence/rows/job_row.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_place.hpp"

#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What every operation does with whole rows of one job table. Give ids and jobs in ascending id
/// order: transactions that read for update in one order do not deadlock.
namespace jobstrand::persistence {

void insert_rows(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const schema::Job* const> jobs
);

/// Reads rows that nobody else changes until the transaction ends; waits for whoever is changing
/// them. Ids that are not there are left out. Payloads that are stored apart are not fetched. What
/// cannot be read is as read_job says: whoever writes such a row mends it.
[[nodiscard]] std::vector<schema::Job> rows_for_update(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// The same, leaving out rows that another transaction has read for update: it waits for nobody.
[[nodiscard]] std::vector<schema::Job> untouched_for_update(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// Like rows_for_update, with those apart that cannot be read whole.
[[nodiscard]] JobRows checked_for_update(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// The same for one row; nullopt: it is not there.
[[nodiscard]] std::optional<schema::Job>
row_for_update(Transaction& transaction, schema::JobPlace place, std::string_view id);

/// Writes all columns of a row that this transaction has read for update.
void update_row(Transaction& transaction, schema::JobPlace place, const schema::Job& job);

/// Returns how many there were.
std::int64_t delete_rows(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// Whether one of these ids is in the place: the question after a move whose commit went
/// unanswered.
[[nodiscard]] bool
is_any_in(Transaction& transaction, schema::JobPlace place, std::span<const std::string> ids);

/// Whether a node holds a live lock on it: one that has not expired.
[[nodiscard]] bool is_locked(const schema::Job& job, schema::TimePoint now);

inline std::string_view id_of(const schema::Job& job) {
    return job.id;
}
inline std::string_view id_of(const schema::Job* job) {
    return job->id;
}
inline std::string_view id_of(const schema::PlacedJob& placed) {
    return placed.job.id;
}
inline std::string_view id_of(const schema::PlacedJob* placed) {
    return placed->job.id;
}

/// The ids of jobs, in their order, for a statement; they are borrowed from the jobs.
template <std::ranges::sized_range Jobs>
[[nodiscard]] std::vector<std::string_view> ids_of(const Jobs& jobs) {
    std::vector<std::string_view> ids;
    ids.reserve(std::ranges::size(jobs));
    for (const auto& job : jobs) {
        ids.push_back(id_of(job));
    }
    return ids;
}

}  // namespace jobstrand::persistence
