#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"

#include <vector>

namespace jobstrand::persistence {

/// Inserts jobs with INSERTs alone, as any producer may (docs/sql.md): for connections on which
/// nothing can be asked. Ids that exist are refused by the keys, which see one table only; a job of
/// a suspended instance is caught when it is acquired, and one with a REPEAT_ becomes a series when
/// it falls due. `ids` gives long payloads theirs.
///
/// Throws std::invalid_argument for a due date that the database cannot hold, before anything is
/// written.
void insert_plainly(
    Transaction& transaction,
    std::vector<schema::PlacedJob> jobs,
    schema::Uuid7Source& ids,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
