#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/url/database_url.hpp"

#include <memory>

namespace jobstrand::persistence {

/// Connects to MySQL or MariaDB and sets up the session, whatever the server's defaults are: READ
/// COMMITTED, UTC, utf8mb4, strict SQL mode, autocommit; no wait for a lock is longer than 5 s.
/// UPDATE counts the rows that it finds, not only those that it changes. The server ends the
/// connection, and with it a transaction, when 10 minutes pass without a statement: what a machine
/// that has disappeared had locked is free by then.
///
/// Throws DbError with one sentence that says what to do: unreachable (no server, no such
/// database), access_denied, busy (no connection left), not_a_database, other (too old a server).
[[nodiscard]] std::unique_ptr<Connection> open_mysql(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
