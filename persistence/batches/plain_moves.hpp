#pragma once

#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/batch/batch.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// What a batch does with rows that need no look at them: they change inside the database, whole
/// ranges of ids with one statement, and never come here.
namespace jobstrand::persistence {

/// The SQL condition for such rows. Never NULL. `1 = 0` where each row must be looked at: while
/// anything is suspended, where each gets a due date of its own, and on SQLite, whose columns may
/// hold what they do not mean.
[[nodiscard]] std::string plain_condition(Transaction& transaction, const schema::Batch& batch);

/// Those among the rows that read_page() has read, which nobody else can have changed.
struct PlainRows {
    std::string_view condition;  ///< As plain_condition() says.
    const Condition& meant;
    std::string_view behind;  ///< Behind this id ...
    std::string_view last;    ///< ... up to that one.
    std::int64_t count = 0;
};

/// Carries the order out for them. Throws DbError conflict when others have come into the range
/// since: the transaction is to be run again.
void change_plain(
    Transaction& transaction,
    const schema::BatchOrder& order,
    const PlainRows& rows,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
