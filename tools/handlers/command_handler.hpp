#pragma once

#include "executor/job_handler.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "tools/handlers/child_process.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/handlers/place_faults.hpp"
#include "tools/settings/settings.hpp"

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// What keeps this process from running configured commands, one sentence each: programs that are
/// not there or may not be run, working directories that are not there or may not be entered.
/// Empty: nothing.
[[nodiscard]] std::vector<std::string> obstacles_to_commands(const Commands& commands);

/// The same of one of them.
[[nodiscard]] std::vector<std::string>
obstacles_to_command(const std::string& name, const CommandSettings& command);

/// Of a file and its folder those that every user of the machine may write: whoever does decides
/// what the service runs. A folder in which nobody replaces what belongs to others (sticky, as
/// /tmp) is none.
[[nodiscard]] std::vector<std::string> open_to_others(const std::string& path);

/// Exit code by which a program says: failed, and a further attempt makes no sense.
inline constexpr int kDoNotRetryExitCode = 100;

/// Runs `command` jobs: programs that the configuration names, and no others.
///
/// The payload says which one (see CommandPayload) and is its stdin as a whole. Its environment is
/// PATH, what the configuration gives it, and JOBSTRAND_JOB_ID, JOBSTRAND_CORRELATION_ID,
/// JOBSTRAND_ATTEMPT and JOBSTRAND_FENCING_TOKEN.
///
/// | end of the program                     | the job                                      |
/// |----------------------------------------|----------------------------------------------|
/// | exit code 0                            | succeeded                                    |
/// | exit code 100                          | failed, goes to the dead letters             |
/// | any other exit code, a signal          | failed, is retried                           |
/// | at its time limit                      | failed, is retried                           |
/// | ended because the service stops        | runs again later, no retry is used           |
/// | not started, whatever is missing       | runs again later, no retry is used           |
/// | not started: its arguments are too long| failed, goes to the dead letters             |
/// | the payload names no command           | failed, goes to the dead letters             |
/// | a command that this service lacks      | is not run here: see need_of_command         |
///
/// A successful turn of a series that keeps its data (R126) may print the payload of the next turn:
/// if all that it wrote to stdout is a JSON object, it replaces the old one, but for the name of
/// the command.
///
/// Thread safety: safe; called by all workers at once. What it depends on must outlive it.
class CommandHandler final {
public:
    struct Dependencies {
        const schema::Clock& clock;
        schema::Log& log;
        Guardian& guardian;               ///< Of the programs.
        HandlerCounts* counts = nullptr;  ///< nullptr: nobody watches.
    };

    /// `path` is the value of PATH for the programs.
    CommandHandler(Dependencies dependencies, Commands commands, std::string path);

    [[nodiscard]] executor::HandlerResult operator()(const executor::JobContext& context) const;

private:
    [[nodiscard]] ChildProcess prepare(
        const executor::JobContext& context,
        const CommandSettings& command,
        CommandPayload payload
    ) const;
    [[nodiscard]] executor::HandlerResult
    result_of(const std::string& name, const ChildProcess& child, ChildProcessEnd end) const;
    [[nodiscard]] executor::HandlerResult
    not_started(const std::string& name, const ChildProcess& child, int error) const;

    Dependencies use_;
    Commands commands_;
    std::string path_;
    std::shared_ptr<PlaceFaults> faults_;  ///< Of all copies.
};

}  // namespace jobstrand::cli
