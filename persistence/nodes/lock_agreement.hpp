#pragma once

#include "persistence/node_store.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/time.hpp"

namespace jobstrand::persistence {

/// Throws DbError `other`, which says what to do, when a living node locks otherwise than this one
/// does, or when jobs are still held so. To a node that locks rows, jobs that a claim holds look
/// free. The gate keeps two nodes from registering at the same time without seeing each other.
void require_same_locks(
    Transaction& transaction,
    const NodeIdentity& identity,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
