#pragma once

#include "persistence/sql/transaction.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "schema/time.hpp"

#include <optional>

namespace jobstrand::persistence {

/// What the database's clock shows now, to the millisecond; nullopt: it has none of its own.
[[nodiscard]] std::optional<schema::TimePoint> database_now(TransactionRunner& runner);

/// The same in a transaction; the machine's clock counts where the database has none. A statement,
/// for moves that are rare and were given no time.
[[nodiscard]] schema::TimePoint database_now(Transaction& transaction);

}  // namespace jobstrand::persistence
