#pragma once

#include "schema/time.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// The verb. No service runs it, but a service may keep its lock.
inline constexpr std::string_view kLockRun = "lock run";

// Its exit codes beside those of its command, as timeout(1) has them.
inline constexpr ExitCode kLockNotHad{124};
inline constexpr ExitCode kLockLost{125};
inline constexpr ExitCode kCannotExecute{126};
inline constexpr ExitCode kNoSuchCommand{127};

struct LockRun {
    std::string name;
    std::optional<schema::Duration> wait;  ///< nullopt: for ever.
    std::optional<schema::Duration> time;
    std::vector<std::string> command;
};

/// Takes the lock, runs the command on the streams of this process while a thread renews the lock,
/// and frees it. The command gets no descriptors but 0, 1 and 2. SIGTERM, SIGINT and SIGHUP go to
/// the command, which gets SIGTERM too when the lock is lost or this process is killed. Returns the
/// exit code of the command, 128 + N when signal N has ended it.
///
/// Throws CliError with the codes above; that the lock was lost when the command has ended.
[[nodiscard]] ExitCode run_locked(Session& session, const LockRun& wanted);

/// "close-books is held by app-1 until ...".
[[nodiscard]] std::string held_by_another(const persistence::NamedLock& lock);

}  // namespace jobstrand::cli
