#pragma once

#include "tools/process/streams.hpp"

#include <string>

namespace jobstrand::cli {

/// Says on stderr what went wrong: each line of the message is one that begins with `jobstrand: `.
/// Passwords of database URLs are not in it.
void print_error_lines(Streams& streams, const std::string& message);

}  // namespace jobstrand::cli
