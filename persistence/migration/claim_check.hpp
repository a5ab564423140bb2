#pragma once

#include "persistence/sql/connection.hpp"

namespace jobstrand::persistence {

/// Throws std::invalid_argument, which says why, where pages of jobs must not be claimed: on
/// SQLite, and on tables that a Flowable engine shares, which would not see these locks.
void require_claimable(const Connection& connection);

}  // namespace jobstrand::persistence
