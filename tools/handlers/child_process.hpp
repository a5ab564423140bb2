#pragma once

#include "schema/limits.hpp"
#include "schema/time.hpp"
#include "tools/handlers/guardian.hpp"
#include "tools/process/unique_fd.hpp"

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// Keeps the last bytes of an endless output, in bounded memory.
class OutputTail final {
public:
    explicit OutputTail(std::size_t limit) : limit_(limit) {}

    void append(std::string_view bytes) {
        kept_.append(bytes);
        // Cutting at twice the limit moves each byte once on average, whatever the size of the
        // pieces.
        if (kept_.size() >= 2 * limit_) {
            cut();
        }
    }

    /// Whether all of it is kept.
    [[nodiscard]] bool is_whole() const { return !was_cut_ && kept_.size() <= limit_; }

    /// At most `limit` bytes. The object is empty afterwards.
    [[nodiscard]] std::string take() {
        cut();
        return std::move(kept_);
    }

private:
    void cut() {
        if (kept_.size() > limit_) {
            kept_.erase(0, kept_.size() - limit_);
            was_cut_ = true;
        }
    }

    const std::size_t limit_;
    std::string kept_;
    bool was_cut_ = false;
};

/// A program to run, and the bounds of its run.
struct ChildProcess {
    std::string program = {};                   ///< Absolute path; no shell, no search.
    std::vector<std::string> arguments = {};    ///< Without the program's own name.
    std::vector<std::string> environment = {};  ///< All of it, as NAME=value.
    std::string working_directory = {};         ///< Empty: that of this process.
    std::string_view input = {};  ///< What it reads on stdin, then the end of the file.
    schema::Duration time_limit{std::chrono::seconds(60)};

    /// From the polite signal (SIGTERM) to the one that cannot be refused (SIGKILL).
    schema::Duration grace{std::chrono::seconds(2)};

    /// How much is kept of stdout and stderr together: the end of it.
    std::size_t output_bytes = schema::limits::kExceptionDetailsBytes;

    /// Whether ChildProcessEnd::standard_output is wanted. stdout and stderr may then come in
    /// another order than they were written in.
    bool keeps_stdout_apart = false;

    /// Told of what it writes to stdout and stderr, as it comes; empty: nobody is.
    std::function<void(std::string_view bytes)> on_output = {};
};

/// How a run ended.
struct ChildProcessEnd {
    enum class Kind {
        exited,       ///< code: its exit code.
        signalled,    ///< code: the signal that it died of, not sent by us.
        timed_out,    ///< It was ended at its time limit.
        stopped,      ///< It was ended because a stop was requested.
        not_started,  ///< code: the errno that says why.
    };
    Kind kind = Kind::not_started;
    int code = 0;
    std::string output = {};  ///< The end of stdout and stderr.

    /// stdout alone; nullopt: it was not wanted, or is longer than output_bytes.
    std::optional<std::string> standard_output = {};
};

/// Runs a program in a process group of its own and waits for its end. When it ends, by itself or
/// by force, whatever is left of its group is killed: nothing of a run outlives it, except
/// processes that made a group of their own. The guardian does the same should this process be
/// killed. The program starts with default signal dispositions, no blocked signals, and no
/// descriptors but 0, 1 and 2.
///
/// Thread safety: safe; any number of threads may run programs at once. Waits without polling.
[[nodiscard]] ChildProcessEnd
run_child_process(const ChildProcess& child, std::stop_token stop, Guardian& guardian);

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
