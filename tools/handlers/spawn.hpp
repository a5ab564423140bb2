#pragma once

#include "tools/handlers/child_process.hpp"
#include "tools/handlers/guardian.hpp"
#include "tools/process/unique_fd.hpp"

#include <sys/types.h>

namespace jobstrand::cli {

/// A program that has just been started; nobody has waited for it yet.
struct SpawnedProcess {
    pid_t pid = -1;   ///< Also the id of its process group.
    UniqueFd pidfd;   ///< Readable when it has ended.
    UniqueFd output;  ///< Its stdout, non-blocking; with its stderr, unless that is apart.
    UniqueFd errors;  ///< Its stderr, if stdout is kept apart.
};

/// A descriptor that becomes readable when the process ends; none, with errno, when there is no
/// such process.
[[nodiscard]] UniqueFd open_pidfd(pid_t pid);

/// Starts the program, or throws std::system_error. Nothing is left behind then. The guardian must
/// be told before the program is reaped.
[[nodiscard]] SpawnedProcess spawn(const ChildProcess& child, Guardian& guardian);

}  // namespace jobstrand::cli
