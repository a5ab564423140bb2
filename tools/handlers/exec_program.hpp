#pragma once

#include <sys/resource.h>
#include <sys/types.h>

namespace jobstrand::cli {

/// A program as the system calls want it. Everything is borrowed.
struct ProgramStart {
    const char* path;               ///< Absolute.
    char* const* arguments;         ///< Its name first, a null pointer last.
    char* const* environment;       ///< A null pointer last.
    const char* working_directory;  ///< Null: that of this process.
    int input;
    int output;
    int errors;
    int guardian;  ///< Where its process group is announced, see Guardian::channel().
    /// Closed when it has begun. The errno is written there when it cannot: EPIPE or ECONNRESET
    /// when the guardian has been killed.
    int report;
    rlim_t descriptors;  ///< How many it may have open; it may raise that itself.
};

/// Starts a program as the leader of a process group of its own, with default signal dispositions,
/// no blocked signals, and no descriptors but 0, 1 and 2. Its group is announced to the guardian
/// before its first instruction. Returns its process id, or -1 with errno.
///
/// All descriptors are above 2 and close themselves with an exec.
[[nodiscard]] pid_t exec_program(const ProgramStart& start) noexcept;

}  // namespace jobstrand::cli
