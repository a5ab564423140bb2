#pragma once

#include "persistence/drivers/driver.hpp"

namespace jobstrand::persistence {

/// MySQL and MariaDB: `mysql://user:password@host:port/database`.
///
/// Options: `connect_timeout` (default PT10S); `statement_timeout`, after which the server ends a
/// statement (default PT30S; MySQL itself ends only a SELECT, but nobody waits longer for any
/// answer); `ssl` (off, the default; require; verify, which checks the certificate and its name;
/// verify-ca, which checks that the certificate is in `ssl_ca` or signed by one there) and
/// `ssl_ca`, a file with the certificates to trust instead of the system's; `server_public_key`, a
/// file with the key for which caching_sha2_password encrypts the password where there is no TLS;
/// `clear_password` (refuse, the default: the password itself is sent only to a server that has
/// proven who it is; allow); `target_session_attrs` (any, the default for one host; read-write,
/// that for several: a server that is not read_only).
extern const Driver kMysqlDriver;

}  // namespace jobstrand::persistence
