#pragma once

#include "persistence/drivers/driver.hpp"

namespace jobstrand::persistence {

/// PostgreSQL: `postgresql://user:password@host:port/database`.
///
/// Options: `connect_timeout` (default PT10S, at least PT2S); `statement_timeout`, after which the
/// server ends a statement (default PT30S), and `lock_timeout`, after which it ends a wait for a
/// lock (default PT5S); `ssl` (off; prefer, the default; require; verify, which checks the
/// certificate and its name) and `ssl_ca`, a file with the certificates to trust; `clear_password`
/// (refuse, the default: the password itself is sent only to a server whose certificate was
/// verified; allow);
/// `application_name` (default jobstrand); `notify` (on, the default: commits announce new jobs,
/// and nodes listen; off: they only poll); `synchronous_commit` (on, remote_apply, remote_write,
/// local, off; default: what the server, the database or the role has).
extern const Driver kPostgresqlDriver;

}  // namespace jobstrand::persistence
