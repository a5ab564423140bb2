#pragma once

#include "persistence/url/database_url.hpp"

namespace jobstrand::persistence {

struct Driver;

/// The URL with its password: its own, else the one in its `password_file`, else what its
/// `password_command` prints, else the one that the database's own clients would find. Asked at
/// each connection, so that a new password needs no restart.
///
/// Throws DbError: access_denied for a file that cannot be used, unreachable for a command that
/// prints none. No message has a password in it.
[[nodiscard]] DatabaseUrl with_password(const Driver& driver, DatabaseUrl url);

}  // namespace jobstrand::persistence
