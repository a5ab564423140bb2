#pragma once

#include "schema/time.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

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

}  // namespace jobstrand::persistence
