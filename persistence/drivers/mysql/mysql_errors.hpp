#pragma once

#include "persistence/sql/db_error.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// The kind of an error of MySQL, MariaDB, their clusters or their client library. The message
/// decides only where the servers have one code for many mistakes.
[[nodiscard]] DbErrorKind classify_mysql(int code, std::string_view message);

/// The same for an error of COMMIT: in_doubt unless the code says that nothing was committed.
[[nodiscard]] DbErrorKind classify_mysql_commit(int code, std::string_view message);

/// The same for an error while connecting, when nothing has been said to the server yet.
[[nodiscard]] DbErrorKind classify_mysql_connect(int code, std::string_view message);

/// Whether a statement was refused only because a text has letters that the character set of what
/// it is compared with does not have.
[[nodiscard]] bool is_mix_of_character_sets(int code);

/// What a person should do about an error while connecting, as a half sentence; empty: the server's
/// own words say it.
[[nodiscard]] std::string_view mysql_connect_advice(int code, std::string_view message);

/// What is said behind the server's words that an account may not use a database: the statement
/// that lets it. Empty behind all other words.
[[nodiscard]] std::string mysql_grant(std::string_view message, std::string_view database);

/// The message of a DbError: what was attempted, what the server said, and its code, on one line.
[[nodiscard]] std::string
mysql_error_text(std::string_view attempted, std::string_view message, int code);

}  // namespace jobstrand::persistence
