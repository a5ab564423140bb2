#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_place.hpp"

#include <span>
#include <string_view>
#include <vector>

/// How those who do not claim pages regard the claims of others.
namespace jobstrand::persistence {

/// Gives jobs that a claim holds what its row says: owner, expiry and number. `jobs` are executable
/// and in id order. One cheap statement while there are no claims.
void mark_claimed(Connection& connection, std::span<schema::Job> jobs);
void mark_claimed(Transaction& transaction, std::span<schema::Job> jobs);

/// Like rows_for_update, for whoever means to change jobs that are free: of executable ones none
/// becomes held until the transaction ends, and those that are come marked.
[[nodiscard]] std::vector<schema::Job> rows_to_change(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// Whether any job is held by a claim; none becomes so until the transaction ends.
[[nodiscard]] bool is_any_claimed(Transaction& transaction);

/// Takes the jobs that a claim holds out of the list, which is in id order and of executable jobs
/// whose gate is closed.
void drop_claimed(Transaction& transaction, std::vector<schema::Job>& jobs);

}  // namespace jobstrand::persistence
