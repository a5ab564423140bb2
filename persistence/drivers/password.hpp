#pragma once

#include "persistence/drivers/database_url.hpp"
#include "schema/time.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>

namespace jobstrand::persistence {

struct Driver;

/// The URL with its password: its own, else the one in its `password_file`, else what its
/// `password_command` prints, else the one that the database's own clients would find. Asked at
/// each connection, so that a new password needs no restart.
///
/// Throws DbError: access_denied for a file that cannot be used, unreachable for a command that
/// prints none. No message has a password in it.
[[nodiscard]] DatabaseUrl with_password(const Driver& driver, DatabaseUrl url);

/// The first line that a program prints. `command` is its absolute path and its arguments, with
/// blanks in between; there is no shell, and so there are no quotes, variables or pipes. Its stdin
/// is empty, and what it says on stderr is dropped, because secrets may be in it.
///
/// Throws DbError unreachable, because it is asked again as for a server that is away: the program
/// cannot be started, fails, prints nothing or more than 4096 bytes, or is not done after
/// `time_limit`; then it is killed, with all that it has started.
[[nodiscard]] std::string password_printed_by(
    std::string_view command,
    schema::Duration time_limit = std::chrono::seconds(10)
);

/// More than any password has; what is longer is something else.
inline constexpr std::size_t kPasswordBytes = 4096;

/// The first line of a text, without what ends it.
[[nodiscard]] std::string first_line(std::string_view text);

/// The first line of a file that is kept secret (see is_kept_secret).
///
/// Throws DbError access_denied, which says what to do: the file cannot be read, is not kept
/// secret, its first line is empty or longer than kPasswordBytes.
[[nodiscard]] std::string password_in_file(const std::string& path);

/// Who can get at a file that holds a secret.
struct SecretFile {
    uid_t owner = 0;
    mode_t mode = 0;

    /// It lies in a mount that is read-only, or in one of its own (the file or its folder) in which
    /// this process can write nothing: the ways in which containers are given secrets.
    bool is_handed_in = false;
};

/// Whether it can be used, by the rule of PostgreSQL's clients: of a file of root the group may
/// read, of any other nobody but its owner may do anything. Of one of root that is handed in
/// everybody may read, since nobody else is in the container. Nobody but the owner may ever write.
[[nodiscard]] bool is_kept_secret(const SecretFile& file);

/// Of an open file, not of its name, which may lead elsewhere by now. Throws std::system_error.
[[nodiscard]] SecretFile look_at_secret(int descriptor);

}  // namespace jobstrand::persistence
