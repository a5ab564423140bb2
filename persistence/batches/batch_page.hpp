#pragma once

#include "persistence/batch_store.hpp"
#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/batch/batch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The next jobs of a batch.
namespace jobstrand::persistence {

/// The condition for what a batch means, without its cause and whatever the cursor: the filter, the
/// last id, and for dead letters when they died. The texts are borrowed.
[[nodiscard]] Condition
condition_of(const JobFilter& filter, const schema::Batch& batch, const Dialect& dialect);

/// Jobs behind the cursor, which nobody else changes until the transaction ends.
struct BatchPage {
    std::size_t rows = 0;                    ///< That were looked at.
    std::string last = {};                   ///< The id of the last one; empty: there are none.
    std::vector<std::string> plain = {};     ///< Of these, those that need no look at them.
    std::int64_t others = 0;                 ///< That are not of the cause.
    std::vector<std::string> ids = {};       ///< The rest, in ascending order ...
    std::vector<std::string> carriers = {};  ///< ... but for those that carry a series on.
};

/// `plain` is the SQL condition for rows that need no look; never NULL.
[[nodiscard]] BatchPage read_page(
    Transaction& transaction,
    const schema::Batch& batch,
    const Condition& meant,
    const BatchStep& step,
    std::string_view plain
);

}  // namespace jobstrand::persistence
