#pragma once

#include "schema/limits.hpp"
#include "schema/time.hpp"
#include "tools/handlers/guardian.hpp"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

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

}  // namespace jobstrand::cli
