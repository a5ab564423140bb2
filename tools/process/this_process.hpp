#pragma once

#include "tools/process/streams.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

/// What main does with the process itself.
namespace jobstrand::cli {

/// Opens something on those of 0, 1 and 2 that are closed, so that no file of ours gets their
/// number. What is read from them or written to them fails, as it would have.
void occupy_standard_descriptors();

/// Lets this process open so many files and connections, if it may not yet and its hard limit
/// allows it.
void allow_descriptors(std::size_t count);

/// Overwrites the passwords in database URLs among the arguments, which `ps` would show.
void hide_passwords(std::span<char*> arguments);

/// A text for a message: the password of a database URL in it becomes `***`.
[[nodiscard]] std::string without_password(std::string text);

/// How many columns the terminal has that a descriptor is; nullopt: it is none. 80 when it does not
/// tell.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int descriptor);

/// Whether SIGPIPE ends this process now. To be asked first of all: client libraries of databases
/// ignore it for the whole process.
[[nodiscard]] bool does_sigpipe_end_us();

/// Ends the process by SIGPIPE if nobody reads its stdout any more, as `| head` expects.
void end_if_nobody_reads();

/// Whether a terminal shows colours: it knows them (TERM), and nobody has said no (NO_COLOR,
/// https://no-color.org).
[[nodiscard]] bool takes_colours(const Environment& environment);

/// Ends the process with exit code 0 and without a word when it still lives after this time.
void end_quietly_after(std::chrono::seconds time);

[[nodiscard]] Environment environment_of_process();

}  // namespace jobstrand::cli
