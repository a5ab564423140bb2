#pragma once

#include "persistence/sql/connection.hpp"

namespace jobstrand::persistence {

/// Tries, without changing a row, whether the connection's user may read, insert, update and delete
/// in all tables that a node writes. Throws DbError: access_denied with the GRANT that is missing,
/// or what else stands in the way of writing (read_only on a replica).
void require_write_rights(Connection& connection);

/// Throws std::invalid_argument, which says why, where pages of jobs must not be claimed: on
/// SQLite, and on tables that a Flowable engine shares, which would not see these locks.
void require_claimable(const Connection& connection);

}  // namespace jobstrand::persistence
