#pragma once

#include "persistence/drivers/driver.hpp"

namespace jobstrand::persistence {

/// MySQL and MariaDB: `mysql://user:password@host:port/database`.
///
/// Options: `connect_timeout` (default PT10S); `statement_timeout`, after which the server ends a
/// statement (default PT30S; MySQL itself ends only a SELECT, but nobody waits longer for any
/// answer); `ssl` (off, the default; require; verify, which checks the certificate and its name)
/// and `ssl_ca`, a file with the certificates to trust instead of the system's; `clear_password`
/// (refuse, the default: the password itself is sent only to a server whose certificate was
/// verified; allow).
extern const Driver kMysqlDriver;

}  // namespace jobstrand::persistence
