#pragma once

#include "persistence/sql/db_error.hpp"

#include <string_view>

namespace jobstrand::persistence {

/// The kind of an error of SQLite. `extended_code` is an extended result code; a primary code is
/// understood too, less precisely. The message decides only where SQLite has one code for many
/// mistakes (SQLITE_ERROR: a missing table or column among them).
[[nodiscard]] DbErrorKind classify_sqlite(int extended_code, std::string_view message);

/// The same for an error of COMMIT. An I/O error there leaves open whether the commit record has
/// reached the disk: in_doubt.
[[nodiscard]] DbErrorKind classify_sqlite_commit(int extended_code, std::string_view message);

}  // namespace jobstrand::persistence
