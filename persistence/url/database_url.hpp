#pragma once

#include "schema/database_kind.hpp"
#include "schema/text/parse_result.hpp"

#include <map>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// Where a database is: `sqlite:PATH`, `mysql://user:password@host:port/database`,
/// `postgresql://user:password@host:port/database`, each with options as `?key=value&...`.
///
/// Durations in options are ISO 8601 or milliseconds.
///
/// Options of sqlite: `synchronous` (full, the default, survives a power cut; normal; off) and
/// `busy_timeout` (default PT10S).
///
/// Options of mysql: `connect_timeout` (default PT10S); `statement_timeout`, after which the server
/// ends a statement (default PT30S; MySQL itself ends only a SELECT, but nobody waits longer for
/// any answer); `ssl` (off, the default; require; verify, which checks the certificate and its
/// name) and `ssl_ca`, a file with the certificates to trust instead of the system's.
///
/// Options of postgresql: `connect_timeout` (default PT10S, at least PT2S); `statement_timeout`,
/// after which the server ends a statement (default PT30S), and `lock_timeout`, after which it ends
/// a wait for a lock (default PT5S); `ssl` (off; prefer, the default; require; verify, which checks
/// the certificate and its name) and `ssl_ca`, a file with the certificates to trust;
/// `application_name` (default jobstrand); `notify` (on, the default: commits announce new jobs,
/// and nodes listen; off: they only poll); `synchronous_commit` (on, remote_apply, remote_write,
/// local, off; default: what the server, the database or the role has).
struct DatabaseUrl {
    schema::DatabaseKind kind = schema::DatabaseKind::sqlite;
    std::string path;  ///< sqlite only.
    std::string user;
    std::string password;
    std::string host;
    int port = 0;
    std::string database;
    std::map<std::string, std::string, std::less<>> options;
};

/// Percent-escapes are decoded. Unknown schemes and unknown options are errors that name the known
/// ones.
[[nodiscard]] schema::ParseResult<DatabaseUrl> parse_database_url(std::string_view text);

/// The URL for logs and messages: the password is replaced by `***`.
[[nodiscard]] std::string without_password(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
