#include "persistence/batches/plain_rows.hpp"

#include "persistence/claims/claimed_jobs.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/readable_columns.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/history/job_event.hpp"

#include <fmt/format.h>

#include <string_view>

namespace jobstrand::persistence {

namespace {

using schema::BatchOperation;
using schema::JobEvent;

// REV_ must be countable, as for every row that is read.
constexpr std::string_view kPlainRequeue =
    "COALESCE(REPEAT_, '') = '' AND COALESCE(SERIES_, '') = '' AND COALESCE(UNIQUE_KEY_, '') = '' "
    "AND TYPE_ IN ('{message}', '{timer}') AND COALESCE(REV_, 0) BETWEEN 1 AND {most}";

constexpr std::string_view kPlainRemoval =
    "COALESCE(REPEAT_, '') = '' AND COALESCE(SERIES_, '') = '' AND COALESCE(UNIQUE_KEY_, '') = '' "
    "AND EXCEPTION_STACK_ID_ IS NULL AND CUSTOM_VALUES_ID_ IS NULL";

constexpr std::string_view kPlainChange = "COALESCE(REV_, 0) BETWEEN 1 AND {most}";

constexpr std::string_view kUnlocked = " AND LOCK_EXP_TIME_ IS NULL";

/// Each job that leaves is a line of its own in the job log.
[[nodiscard]] bool is_logged(BatchOperation operation, schema::JobLogLevel level) {
    switch (operation) {
        case BatchOperation::requeue:
            return schema::is_logged(JobEvent::requeued, level);
        case BatchOperation::remove:
            return schema::is_logged(JobEvent::deleted, level);
        case BatchOperation::change:
            break;
    }
    return false;
}

}  // namespace

std::string plain_condition(
    Transaction& transaction,
    const StoreContext& context,
    const schema::BatchOrder& order
) {
    const bool is_one_for_all = order.cause.empty() && order.spread == schema::Duration{0};
    const Dialect& dialect = transaction.dialect();
    if (dialect.has_texts_for_times || dialect.has_engine || !is_one_for_all ||
        is_logged(order.operation, context.history.rules().job_log)) {
        return std::string(kNoRow);
    }
    if (order.place == schema::JobPlace::executable && is_any_claimed(transaction)) {
        return std::string(kNoRow);
    }
    const std::string unlocked(schema::has_lock(order.place) ? kUnlocked : "");
    switch (order.operation) {
        case BatchOperation::requeue:
            return is_anything_suspended(transaction)
                       ? std::string(kNoRow)
                       : fmt::format(
                             kPlainRequeue,
                             fmt::arg("message", schema::kMessageType),
                             fmt::arg("timer", schema::kTimerType),
                             fmt::arg("most", kMostToCount)
                         );
        case BatchOperation::remove:
            return std::string(kPlainRemoval) + unlocked;
        case BatchOperation::change:
            break;
    }
    // Who sets the retries to 0 gives the job up, and a due date is one for its series as well.
    const bool moves = order.retries.value_or(1) <= 0 || order.due_date;
    return moves ? std::string(kNoRow)
                 : fmt::format(kPlainChange, fmt::arg("most", kMostToCount)) + unlocked;
}

}  // namespace jobstrand::persistence
