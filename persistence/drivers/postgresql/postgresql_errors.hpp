#pragma once

#include "persistence/sql/db_error.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// The kind of an error of PostgreSQL by its SQLSTATE, five characters; others mean that there is
/// none. An error after which the connection is gone is connection_lost, whatever the code: the
/// caller knows.
[[nodiscard]] DbErrorKind classify_postgresql(std::string_view sqlstate);

/// The same for an error while connecting, when nothing has been said to the server yet. Without a
/// code the client library's own message decides.
[[nodiscard]] DbErrorKind
classify_postgresql_connect(std::string_view sqlstate, std::string_view message);

/// What a person should do about an error while connecting, as a half sentence; empty: the server's
/// own words say it.
[[nodiscard]] std::string_view
postgresql_connect_advice(std::string_view sqlstate, std::string_view message);

/// The message of a DbError: what was attempted, what the server said, and its code, on one line.
[[nodiscard]] std::string postgresql_error_text(
    std::string_view attempted,
    std::string_view message,
    std::string_view sqlstate
);

/// Whether the server has said that it knows no such thing (0A000), which is `conflict` because a
/// statement of which the table was changed says so, too.
[[nodiscard]] bool is_unsupported(const DbError& error);

}  // namespace jobstrand::persistence
