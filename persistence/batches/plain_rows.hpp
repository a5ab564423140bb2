#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/batch/batch.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// The condition where each row must be looked at.
inline constexpr std::string_view kNoRow = "1 = 0";

/// The SQL condition for rows that need no look at them: what a batch does with them is the same
/// for all, and nothing beside them has to hear of it. Never NULL.
///
/// kNoRow while anything is suspended, or a claim holds executable jobs that are meant, where each
/// gets a due date of its own or a line in the job log, in tables that a Flowable engine shares,
/// which counts the jobs of its executions, and on SQLite, whose columns may hold what they do not
/// mean.
[[nodiscard]] std::string plain_condition(
    Transaction& transaction,
    const StoreContext& context,
    const schema::BatchOrder& order
);

}  // namespace jobstrand::persistence
