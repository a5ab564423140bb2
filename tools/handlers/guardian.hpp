#pragma once

#include "tools/process/unique_fd.hpp"

#include <sys/resource.h>
#include <sys/types.h>

#include <mutex>
#include <set>

namespace jobstrand::cli {

/// Sees to it that no program outlives this process: a small process beside it, which is told of
/// each process group that begins and ends. When this process is gone, however it went, the other
/// kills the groups that have not ended, and goes too. So a job that runs again on this machine
/// does not meet its former run.
///
/// What makes a process group of its own escapes it.
///
/// Thread safety: safe.
class Guardian final {
public:
    Guardian();

    /// What has not ended is killed.
    ~Guardian();

    Guardian(const Guardian&) = delete;
    Guardian& operator=(const Guardian&) = delete;

    /// Starts the process, unless it runs. It begins as a copy of this one, so the earlier the
    /// smaller. Throws std::system_error.
    void start();

    /// The id of the process; -1: it was never started.
    [[nodiscard]] pid_t process();

    /// Where a program that begins announces its group with announce(). Starts the process, also
    /// when somebody has killed it. Valid as long as this object.
    [[nodiscard]] int channel();

    /// How many descriptors a program may have open: as many as this process might when the
    /// guardian was made.
    [[nodiscard]] rlim_t descriptors() const { return descriptors_; }

    /// After an announcement that failed with EPIPE or ECONNRESET: the process has been killed.
    /// Waits until it is gone, so that channel() starts another.
    void await_end();

    /// A group that was announced; the process is told again should it have to be started anew.
    void began(pid_t group);

    /// Before the leader of the group is reaped: until then its number belongs to no other.
    void ended(pid_t group);

private:
    void start_if_needed();

    const rlim_t descriptors_;

    std::mutex mutex_;
    UniqueFd channel_;
    pid_t process_ = -1;
    std::set<pid_t> groups_;
};

/// Tells a guardian of a group, by its channel. false, with errno: it could not be told. May be
/// called between fork and exec.
[[nodiscard]] bool announce(int channel, pid_t group) noexcept;

}  // namespace jobstrand::cli
