#include "tools/handlers/command_handler.hpp"

#include "schema/text/time_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace jobstrand::cli {

namespace fs = std::filesystem;
using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using schema::Duration;

namespace {

/// Empty: this process may run the file, or enter the folder.
[[nodiscard]] std::string obstacle(const std::string& path, fs::file_type type) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        return error ? error.message() : std::generic_category().message(ENOENT);
    }
    if (status.type() != type) {
        return type == fs::file_type::directory ? "it is not a folder" : "it is not a file";
    }
    return ::access(path.c_str(), X_OK) == 0 ? "" : std::generic_category().message(errno);
}

}  // namespace

std::vector<std::string>
obstacles_to_command(const std::string& name, const CommandSettings& command) {
    std::vector<std::string> obstacles;
    const auto look = [&](std::string_view what, const std::string& path, fs::file_type type) {
        if (const std::string why = obstacle(path, type); !why.empty()) {
            obstacles.push_back(fmt::format(
                "[commands.{}] {} = {}: {}", printable(name), what, quoted_if_needed(path), why
            ));
        }
    };
    look("program", command.program, fs::file_type::regular);
    if (!command.working_directory.empty()) {
        look("workingDirectory", command.working_directory, fs::file_type::directory);
    }
    return obstacles;
}

std::vector<std::string> obstacles_to_commands(const Commands& commands) {
    std::vector<std::string> obstacles;
    for (const auto& [name, command] : commands) {
        for (std::string& one : obstacles_to_command(name, command)) {
            obstacles.push_back(std::move(one));
        }
    }
    return obstacles;
}

std::vector<std::string> open_to_others(const std::string& path) {
    std::vector<std::string> open;
    for (const fs::path& one : {fs::path(path), fs::absolute(path).parent_path()}) {
        struct stat found {};
        const bool is_open = ::stat(one.c_str(), &found) == 0 && (found.st_mode & S_IWOTH) != 0;
        if (is_open && (S_ISREG(found.st_mode) || (found.st_mode & S_ISVTX) == 0)) {
            open.push_back(one.string());
        }
    }
    return open;
}

namespace {

/// Of the program's last words that go into the one-line message.
constexpr std::size_t kLastLineWidth = 200;

/// The last line that is not empty: programs say what went wrong at their end.
[[nodiscard]] std::string last_line(std::string_view output) {
    const std::size_t end = output.find_last_not_of(" \t\r\n");
    if (end == std::string_view::npos) {
        return {};
    }
    output = output.substr(0, end + 1);
    const std::size_t start = output.find_last_of('\n');
    return cut_to_width(
        printable(start == std::string_view::npos ? output : output.substr(start + 1)),
        kLastLineWidth
    );
}

[[nodiscard]] Failed
failed(const std::string& name, const std::string& how, std::string output, bool retryable = true) {
    const std::string said = last_line(output);
    return Failed{
        .message = fmt::format("command {} {}{}{}", name, how, said.empty() ? "" : ": ", said),
        .details = std::move(output),
        .retryable = retryable,
    };
}

[[nodiscard]] Failed refused(std::string message) {
    return Failed{.message = std::move(message), .retryable = false};
}

/// Whether what the run prints may be the payload of the next turn (R126).
[[nodiscard]] bool may_hand_on(const schema::Job& job) {
    return !job.repeat.empty();
}

[[nodiscard]] executor::Succeeded
succeeded(const std::string& command, const ChildProcessEnd& end) {
    return {
        .payload = end.standard_output ? handed_on(*end.standard_output, command) : std::nullopt};
}

}  // namespace

CommandHandler::CommandHandler(Dependencies dependencies, Commands commands, std::string path)
    : use_(dependencies),
      commands_(std::move(commands)),
      path_(std::move(path)),
      faults_(std::make_shared<PlaceFaults>(use_.clock, use_.log)) {}

HandlerResult CommandHandler::operator()(const executor::JobContext& context) const {
    auto payload = parse_command_payload(context.job.payload);
    if (!payload) {
        return refused(payload.error().message);
    }
    const auto command = commands_.find(payload.value().command);
    if (command == commands_.end()) {
        return Interrupted{};  // Not mine is not failure (I7).
    }
    const ChildProcess child = prepare(context, command->second, payload.value());
    ChildProcessEnd end = run_child_process(child, context.stop, use_.guardian);
    if (end.kind != ChildProcessEnd::Kind::not_started) {
        faults_->began("command " + command->first);
    }
    if (end.kind == ChildProcessEnd::Kind::exited && end.code == 0) {
        return succeeded(command->first, end);
    }
    if (end.kind == ChildProcessEnd::Kind::timed_out) {
        count_time_out(use_.counts);
    }
    return result_of(command->first, child, std::move(end));
}

ChildProcess CommandHandler::prepare(
    const executor::JobContext& context,
    const CommandSettings& command,
    CommandPayload payload
) const {
    ChildProcess child{
        .program = command.program,
        .arguments = command.arguments,
        .working_directory = command.working_directory,
        .input = context.job.payload,
        .time_limit = within_deadline(command.time_limit, context.deadline, use_.clock.now()),
        .keeps_stdout_apart = may_hand_on(context.job),
        .on_output = [&context](std::string_view bytes) { context.log(bytes); },
    };
    std::move(
        payload.arguments.begin(), payload.arguments.end(), std::back_inserter(child.arguments)
    );
    auto environment = command.environment;
    environment.try_emplace("PATH", path_);
    environment["JOBSTRAND_JOB_ID"] = context.job.id;
    environment["JOBSTRAND_CORRELATION_ID"] = context.job.correlation_id;
    environment["JOBSTRAND_ATTEMPT"] = std::to_string(context.attempt);
    environment["JOBSTRAND_FENCING_TOKEN"] = std::to_string(context.fencing_token);
    if (!context.trace_parent.empty()) {
        environment["TRACEPARENT"] = context.trace_parent;
    }
    for (const auto& [name, value] : environment) {
        child.environment.push_back(name + '=' + value);
    }
    return child;
}

HandlerResult CommandHandler::result_of(
    const std::string& name,
    const ChildProcess& child,
    ChildProcessEnd end
) const {
    switch (end.kind) {
        case ChildProcessEnd::Kind::exited:
            return failed(
                name,
                fmt::format("failed with exit code {}", end.code),
                std::move(end.output),
                end.code != kDoNotRetryExitCode
            );
        case ChildProcessEnd::Kind::signalled:
            return failed(
                name,
                fmt::format("was ended by signal {} ({})", end.code, ::sigdescr_np(end.code)),
                std::move(end.output)
            );
        case ChildProcessEnd::Kind::timed_out:
            return failed(
                name,
                "was ended at its time limit of " + schema::format_duration(child.time_limit),
                std::move(end.output)
            );
        case ChildProcessEnd::Kind::stopped:
            return Interrupted{};
        case ChildProcessEnd::Kind::not_started:
            return not_started(name, child, end.code);
    }
    return Interrupted{};
}

// Whatever is missing, the job has not begun, and another node or another day may have it. Only
// what it asks for itself may be too much.
HandlerResult
CommandHandler::not_started(const std::string& name, const ChildProcess& child, int error) const {
    if (error == E2BIG) {
        return refused(fmt::format("command {}: its arguments are too long", name));
    }
    // The error does not say which of the two is missing.
    std::error_code ignored;
    const bool lost_directory = !child.working_directory.empty() &&
                                !std::filesystem::is_directory(child.working_directory, ignored);
    return faults_->put_off(
        "command " + name,
        lost_directory
            ? fmt::format("there is no directory {}", child.working_directory)
            : fmt::format(
                  "cannot run {}: {}", child.program, std::generic_category().message(error)
              )
    );
}

}  // namespace jobstrand::cli
