#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/process/this_process.hpp"
#include "tools/surface/program.hpp"

#include <string_view>

namespace jobstrand::cli {

/// `--engine all`: every engine of the configuration file.
inline constexpr std::string_view kAllEngines = "all";

/// Runs the verb that was typed for each engine of the configuration file, in a process of its own
/// each, all at once, and puts together what they say: a heading for each engine, in JSON one
/// document, in JSON lines and CSV a field `engine`. Names (`-o name`) stand as they are.
///
/// An engine that fails harms no other: what is wrong there is said on stderr, with its name. A
/// verb that only shows something does not wait longer than most of a second for one that says
/// nothing, once another has answered: it is left out, which is said too.
///
/// The exit code is theirs where they agree, check_found where nothing worse came, else
/// partly_done. Wrong usage throws CliError: a verb that is about no engine, or reads stdin or a
/// pipe, or a database that was named beside it.
[[nodiscard]] ExitCode
run_on_all_engines(const Program& program, Streams& streams, const Environment& environment);

/// Whether that is meant; an engine of the file may have the name by itself.
[[nodiscard]] bool
is_for_all_engines(const Program& program, Streams& streams, const Environment& environment);

}  // namespace jobstrand::cli
