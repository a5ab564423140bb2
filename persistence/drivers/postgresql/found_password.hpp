#pragma once

#include "persistence/url/database_url.hpp"

#include <string>

namespace jobstrand::persistence {

/// The password that libpq itself would take for this URL: PGPASSWORD, else a line of the file that
/// PGPASSFILE names, else one of ~/.pgpass
/// (https://www.postgresql.org/docs/current/libpq-pgpass.html). It warns on stderr of a file that
/// others may read, and does not use it. Empty: there is none.
///
/// Asked before a connection, because a guarded login goes to another host than the one whose
/// password it is.
[[nodiscard]] std::string find_postgresql_password(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
