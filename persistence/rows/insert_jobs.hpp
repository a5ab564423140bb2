#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"
#include "schema/unique_key.hpp"
#include "schema/uuid7.hpp"

#include <span>
#include <vector>

namespace jobstrand::persistence {

/// Inserts jobs with INSERTs alone, as any producer may (docs/sql.md): for connections on which
/// nothing can be asked. Ids that exist are refused by the keys, which see one table only; a job of
/// a suspended instance is caught when it is acquired, and one with a REPEAT_ becomes a series when
/// it falls due. `ids` gives long payloads theirs. `rules` says of each job how it wants its unique
/// key; one that somebody has is refused by the key of its table.
///
/// Throws std::invalid_argument for a due date that the database cannot hold, before anything is
/// written.
void insert_plainly(
    Transaction& transaction,
    std::vector<schema::PlacedJob> jobs,
    std::span<const schema::KeyRule> rules,
    schema::Uuid7Source& ids,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
