#include "tools/jobstrand/remote/run_for_client.hpp"

#include "tools/jobstrand/program.hpp"
#include "tools/jobstrand/remote/bounded_text.hpp"
#include "tools/jobstrand/remote/error_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <stdexcept>

namespace jobstrand::cli {

namespace {

/// Of stdout and of stderr.
constexpr std::size_t kMostOutput = std::size_t{64} * 1024 * 1024;
constexpr std::size_t kMostErrors = std::size_t{1024} * 1024;

[[noreturn]] void refuse_output() {
    throw CliError(
        ExitCode::failed,
        "the output is longer than 64 MiB: ask for less with --limit, and go on with --after"
    );
}

/// What would reach for this machine.
void refuse_globals(const GlobalOptions& options) {
    const bool is_any_given = options.database_url || options.config_file || options.engine ||
                              options.server || options.token_file;
    if (is_any_given) {
        throw CliError(
            ExitCode::wrong_usage,
            "a service has its own database and settings: leave --db, --config, --engine, --server "
            "and --token-file out"
        );
    }
}

[[nodiscard]] ExitCode run_verb(
    const Program& program,
    const VerbCall& call,
    const ServedClient& client,
    Streams& streams,
    std::string& question
) {
    // Defended catch: what the command line would say, and exit with, is the answer.
    try {
        GlobalOptions options = program.globals();
        refuse_globals(options);
        options.color = call.is_coloured ? "always" : "never";
        Session session(streams, std::move(options), client);
        return program.run(session);
    } catch (const Unconfirmed& unconfirmed) {
        question = unconfirmed.question();
        return unconfirmed.code();
    } catch (const CliError& error) {
        streams.out.clear();  // It may be that one more write would have been too many.
        tell_error_lines(streams, error.what());
        return error.code();
    } catch (const std::invalid_argument& error) {
        tell_error_lines(streams, error.what());
        return ExitCode::wrong_usage;
    }
}

}  // namespace

VerbAnswer run_for_client(
    const std::vector<std::string>& words,
    const VerbCall& call,
    engine::Wiring& engine,
    const Settings& settings,
    const std::function<bool()>& is_stopping
) {
    std::istringstream in(call.input);
    BoundedText out(kMostOutput, refuse_output);
    BoundedText err(kMostErrors);
    Streams streams{
        .in = in,
        .out = out,
        .err = err,
        .in_is_terminal = call.can_be_asked,
        .err_is_coloured = call.are_errors_coloured,
        .out_columns = call.columns,
    };
    std::vector<std::string> line = words;
    line.insert(line.end(), call.arguments.begin(), call.arguments.end());
    Program program;
    VerbAnswer answer;
    const auto said = program.parse(std::move(line), streams);
    if (said) {
        answer.exit_code = *said;
    } else if (program.typed().words != fmt::format("{}", fmt::join(words, " "))) {
        answer.exit_code = ExitCode::wrong_usage;
        tell_error_lines(streams, "the arguments name another verb");
    } else {
        const ServedClient client{
            .engine = engine,
            .settings = settings,
            .files = call.files,
            .user = call.user,
            .caller = call.caller,
            .scope = call.scope,
            .is_stopping = is_stopping};
        answer.exit_code = run_verb(program, call, client, streams, answer.question);
    }
    answer.output = out.text();
    answer.errors = err.text();
    return answer;
}

}  // namespace jobstrand::cli
