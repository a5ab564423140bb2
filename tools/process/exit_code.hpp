#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand::cli {

/// What the program tells its caller. Kept stable: scripts rely on it.
enum class ExitCode : int {
    done = 0,
    /// The database, the machine, or a job that was run by hand.
    failed = 1,
    /// Arguments, settings or input that cannot be meant so; nothing was changed.
    wrong_usage = 2,
    partly_done = 3,
    not_found = 4,
    /// A locked job, a missing confirmation, an id that is taken.
    refused = 5,
    /// A check came to its end and found something.
    check_found = 6,
};

/// Ends a command: one or more lines for stderr, each of which says what to do, and the exit code.
class CliError : public std::runtime_error {
public:
    CliError(ExitCode code, const std::string& message) : runtime_error(message), code_(code) {}

    [[nodiscard]] ExitCode code() const noexcept { return code_; }

private:
    ExitCode code_;
};

/// One whose code stands in its name. Its message is a text, or a format and what fills it.
template <ExitCode kCode>
class CliErrorOf final : public CliError {
public:
    explicit CliErrorOf(const std::string& message) : CliError(kCode, message) {}

    template <typename First, typename... More>
    explicit CliErrorOf(fmt::format_string<First, More...> format, First&& first, More&&... more)
        : CliError(
              kCode,
              fmt::format(format, std::forward<First>(first), std::forward<More>(more)...)
          ) {}
};
using Failed = CliErrorOf<ExitCode::failed>;
using WrongUsage = CliErrorOf<ExitCode::wrong_usage>;
using NotFound = CliErrorOf<ExitCode::not_found>;
using Refused = CliErrorOf<ExitCode::refused>;

/// Somebody must say yes first, who is not at this machine.
class Unconfirmed final : public CliError {
public:
    explicit Unconfirmed(const std::string& question)
        : CliError(ExitCode::refused, question + " Say so with --yes."), question_(question) {}

    [[nodiscard]] const std::string& question() const noexcept { return question_; }

private:
    std::string question_;
};

}  // namespace jobstrand::cli
