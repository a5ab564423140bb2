#pragma once

#include "persistence/rows/job_row.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_place.hpp"

#include <vector>

/// Rows that a producer's SQL wrote wrong. One such row harms itself alone: whoever reads a page
/// sets it aside in the same transaction, says so in the log, and goes on with the others. Nothing
/// is asked or written while all rows are right.
namespace jobstrand::persistence {

/// Makes dead letters of rows that this transaction has read for update in `from`.
void divert_unreadable(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace from,
    std::vector<schema::Job> rows
);

/// Gives ids to the rows of a place that no id finds (see is_nameless), so that they can be worked
/// with: bytes get their hexadecimal text, which is what an app that stores bytes forgot.
void name_nameless(Transaction& transaction, const StoreContext& context, schema::JobPlace place);

/// Quarantines what is wrong in a page: moves what cannot be read to the dead letters, and names
/// what is nameless. Leaves the jobs that are right.
void quarantine(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace from,
    JobRows& page
);

}  // namespace jobstrand::persistence
