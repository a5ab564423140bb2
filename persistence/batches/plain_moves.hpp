#pragma once

#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/batch.hpp"
#include "schema/time.hpp"

#include <span>
#include <string>
#include <string_view>

/// What a batch does with rows that need no look at them: they change inside the database, whole
/// ranges of ids with one statement, and never come here.
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

/// Those among the rows that read_page() has read, which nobody else can have changed.
struct PlainRows {
    std::string_view condition;  ///< As plain_condition() says.
    const Condition& meant;
    std::string_view behind;  ///< Behind this id ...
    std::string_view last;    ///< ... up to that one.
    std::span<const std::string_view> ids = {};
};

/// Carries the order out for them, and resolves their incidents. Throws DbError conflict when
/// others have come into the range since: the transaction is to be run again.
void change_plain(
    Transaction& transaction,
    const StoreContext& context,
    const schema::BatchOrder& order,
    const PlainRows& rows,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
