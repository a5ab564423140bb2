#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/batch.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

/// The rows of JS_BATCH.
namespace jobstrand::persistence {

/// A batch with the revision of its row: who has seen a higher one knows that somebody has changed
/// it since.
struct BatchRow {
    schema::Batch batch;
    std::int64_t revision = 1;
};

void insert_batch(Transaction& transaction, const schema::Batch& batch);

/// Throws DbError unreadable for words that are none of ours.
[[nodiscard]] std::optional<BatchRow> read_batch(Connection& connection, std::string_view id);

/// The same; nobody else changes it until the transaction ends.
[[nodiscard]] std::optional<BatchRow>
batch_for_update(Transaction& transaction, std::string_view id);

/// The latest first, those older than `behind` (empty: all).
[[nodiscard]] std::vector<schema::Batch>
read_batches(Connection& connection, std::string_view behind, std::size_t limit);

/// Writes its state, its end, its cursor and its counts, and raises the revision.
void update_batch(Transaction& transaction, const schema::Batch& batch);

/// Returns whether there was one that is not running.
[[nodiscard]] bool delete_batch(Transaction& transaction, std::string_view id);

/// Of its row; nullopt: there is none.
[[nodiscard]] std::optional<std::int64_t>
revision_of_batch(Transaction& transaction, std::string_view id);

}  // namespace jobstrand::persistence
