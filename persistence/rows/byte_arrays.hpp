#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/uuid7.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Long texts of jobs: rows of ACT_GE_BYTEARRAY, which live and die with their job. They are
/// inserted before the rows that refer to them, and deleted after: Flowable's tables have foreign
/// keys.
namespace jobstrand::persistence {

/// The values of NAME_.
inline constexpr std::string_view kPayloadName = "payload";
inline constexpr std::string_view kStackTraceName = "stacktrace";

struct ByteArray {
    std::string_view id;
    std::string_view text;  ///< UTF-8.
};

void insert_byte_arrays(
    Transaction& transaction,
    std::string_view name,
    std::span<const ByteArray> arrays
);

/// Empty ids and ids that are not there are skipped.
void delete_byte_arrays(Transaction& transaction, std::vector<std::string_view> ids);

/// Deletes payload and stack trace of jobs that are being deleted.
void delete_byte_arrays_of(Transaction& transaction, std::span<const schema::Job* const> jobs);

/// Stores the payloads of jobs that are too long for their row, each under a new id.
void store_payloads(Transaction& transaction, std::span<schema::Job> jobs, schema::FreshIds& ids);

/// Bytes of the payload of each job, in their order, of those too that are stored apart and not
/// fetched yet.
[[nodiscard]] std::vector<std::size_t>
payload_sizes(Transaction& transaction, std::span<const schema::Job> jobs);

/// Fetches the payloads that are stored apart.
void load_payloads(Transaction& transaction, std::span<schema::Job> jobs);

/// Leaves the last jobs out whose payloads are too much for one page; the first one always stays.
/// Returns whether any is left out.
bool cut_to_bytes(Transaction& transaction, std::vector<schema::Job>& jobs, std::size_t most_bytes);

/// The same for jobs that come besides those of a page, none of which has to stay.
void cut_to_bytes_left(
    Transaction& transaction,
    std::span<const schema::Job> page,
    std::vector<schema::Job>& besides,
    std::size_t most_bytes
);

}  // namespace jobstrand::persistence
