#pragma once

#include "tools/process/this_process.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

/// The whole program: reads the arguments (without the program's own name), does what they say, and
/// returns the exit code (see ExitCode). Throws nothing.
///
/// Data goes to streams.out, everything else to streams.err. Each error is one line that begins
/// with `jobstrand: `.
[[nodiscard]] int
run_cli(const std::vector<std::string>& arguments, Streams streams, const Environment& environment);

/// Whether a shell asks how a line can go on, `__complete WORDS...`: the process should not live
/// long then, see end_quietly_after().
[[nodiscard]] bool is_shells_question(const std::vector<std::string>& arguments);

}  // namespace jobstrand::cli
