#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/url/database_url.hpp"

#include <memory>

namespace jobstrand::persistence {

/// Connects to PostgreSQL and sets up the session, whatever the defaults of server, database and
/// role are: READ COMMITTED, UTC, UTF-8; no wait for a lock is longer than 5 s. The server ends the
/// connection when a transaction stays 10 minutes without a statement, and finds out within two
/// minutes that our machine has disappeared: what was locked is free then.
///
/// The planner is told to use keys. Its statistics of the job tables are often old: it would take a
/// full table for an empty one, and read all of it.
///
/// Throws DbError with one sentence that says what to do: unreachable (no server, no such
/// database), access_denied, busy (no connection left), not_a_database, other (a server that is too
/// old, a database that is not in UTF-8).
[[nodiscard]] std::unique_ptr<Connection> open_postgresql(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
