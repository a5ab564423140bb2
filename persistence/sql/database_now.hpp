#pragma once

#include "persistence/sql/transaction_runner.hpp"
#include "schema/time.hpp"

#include <optional>

namespace jobstrand::persistence {

/// What the database's clock shows now, to the millisecond; nullopt: it has none of its own.
[[nodiscard]] std::optional<schema::TimePoint> database_now(TransactionRunner& runner);

}  // namespace jobstrand::persistence
