#pragma once

#include "persistence/drivers/database_url.hpp"
#include "persistence/sql/connection.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// What a server says about itself, read from the text of its function VERSION().
struct MysqlVersion {
    bool is_mariadb = false;
    int major = 0;
    int minor = 0;
    int patch = 0;

    bool operator==(const MysqlVersion&) const = default;
};

/// nullopt: not a version.
[[nodiscard]] std::optional<MysqlVersion> parse_mysql_version(std::string_view text);

/// Why this program does not work with a server of this version, as one sentence; nullopt: it does.
/// MariaDB 10.6 and MySQL 8.0.1 are the first that know SKIP LOCKED.
[[nodiscard]] std::optional<std::string> mysql_version_refusal(std::string_view text);

/// Whether MySQL or MariaDB themselves, or a distribution of theirs, write a version so: `9.7.4`,
/// `8.0.46-0ubuntu0.22.04.1`, `10.11.19-MariaDB-0+deb12u1`. Other engines add a name of their own.
[[nodiscard]] bool is_mysqls_own_version(std::string_view text);

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
