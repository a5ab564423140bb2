#include "tools/surface/audited_run.hpp"

#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>

namespace jobstrand::cli {

namespace {

[[nodiscard]] std::string_view result_of(ExitCode code) {
    switch (code) {
        case ExitCode::done:
        case ExitCode::check_found:
            return "done";
        case ExitCode::partly_done:
            return "partly done";
        case ExitCode::not_found:
            return "not found";
        case ExitCode::wrong_usage:
        case ExitCode::refused:
            return "refused";
        case ExitCode::failed:
            break;
    }
    return "failed";
}

/// As they could be typed again.
[[nodiscard]] std::string line_of(const std::vector<std::string>& arguments) {
    std::string line;
    for (const std::string& argument : arguments) {
        fmt::format_to(
            std::back_inserter(line), "{}{}", line.empty() ? "" : " ", quoted_if_needed(argument)
        );
    }
    return line;
}

/// That of --reason, which some verbs have themselves.
[[nodiscard]] std::string reason_of(const Session& session, const TypedVerb& verb) {
    const auto option = std::ranges::find(verb.arguments, "--reason");
    const bool is_of_verb =
        option != verb.arguments.end() && std::next(option) != verb.arguments.end();
    return is_of_verb ? *std::next(option) : session.reason();
}

}  // namespace

ExitCode
run_audited(Session& session, const TypedVerb& verb, const std::function<ExitCode(Session&)>& run) {
    if (std::ranges::find(verb.arguments, "--dry-run") != verb.arguments.end()) {
        return run(session);
    }
    ExitCode code = ExitCode::failed;
    std::exception_ptr refusal;
    session.audit().run(
        {
            .who = session.actor(),
            .via = session.is_for_client() ? "http" : "cli",
            .action = verb.words,
            .arguments = line_of(verb.arguments),
            .reason = reason_of(session, verb),
        },
        [&]() -> deadletter::ActionEnd {
            // Defended catch: a refusal is how the action ended, and is thrown again behind it.
            try {
                code = run(session);
            } catch (const CliError& error) {
                code = error.code();
                refusal = std::current_exception();
            }
            return {.result = std::string(result_of(code)), .changed = session.changes()};
        }
    );
    if (refusal) {
        std::rethrow_exception(refusal);
    }
    return code;
}

}  // namespace jobstrand::cli
