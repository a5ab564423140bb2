#include "tools/program/run_cli.hpp"

#include "persistence/sql/db_error.hpp"
#include "tools/operations/lock_run.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/output_style.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/this_process.hpp"
#include "tools/program/all_engines.hpp"
#include "tools/program/run_on_server.hpp"
#include "tools/surface/completion.hpp"
#include "tools/surface/program.hpp"
#include "tools/text/terminal_text.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace jobstrand::cli {

namespace {

/// Says on stderr what went wrong with the database. The URL in it has no blanks, so what the
/// server says behind it stays as it is: an `@` there is that of an account, and ends no password.
void print_error(Streams& streams, const std::string& message) {
    const std::size_t end = std::min(message.find(": ", message.find("://")), message.size());
    streams.out.flush();
    streams.err << message_start(streams.err_is_coloured)
                << without_password(printable(message.substr(0, end)))
                << printable(message.substr(end)) << '\n';
    streams.err.flush();
}

/// The advice to create or upgrade the tables, as a command that can be pasted: where there is a
/// secret in the URL, it is not repeated, and has to be given as it was.
[[nodiscard]] std::string with_database(std::string message, Session& session) {
    const std::string url = session.shown_database_url();
    const bool is_secret = url.find("***") != std::string::npos;
    for (const std::string advice :
         {"`jobstrand schema create",
          "`jobstrand schema upgrade",
          "`jobstrand schema index priority --create"}) {
        const std::size_t found = message.find(advice + '`');
        if (found == std::string::npos) {
            continue;
        }
        const std::size_t end = found + advice.size();
        is_secret ? message.insert(end + 1, " with the same --db or JOBSTRAND_DB")
                  : message.insert(end, " --db " + url);
    }
    return message;
}

/// What the database refuses, and which rights would allow it.
[[nodiscard]] std::string in_full(const persistence::DbError& error, Session& session) {
    std::string message = error.what();
    const bool names_a_grant = message.find("GRANT ") != std::string::npos;
    if (error.kind() == persistence::DbErrorKind::access_denied && !names_a_grant) {
        const std::string missing = session.missing_rights();
        if (!missing.empty() && missing != message) {
            message += ": " + missing;
        }
    }
    return message;
}

/// The one place that turns what a command throws into words and an exit code.
[[nodiscard]] ExitCode run_typed(
    const Program& program,
    const std::optional<Server>& server,
    Streams& streams,
    Session& session
) {
    try {
        if (server && program.typed().words == kLockRun) {
            session.use_locks_of(locks_of(*server, session));
            return program.run(session);
        }
        return server ? run_on_server(*server, session, program.typed()) : program.run(session);
    } catch (const CliError& error) {
        print_error_lines(streams, error.what());
        return error.code();
    } catch (const persistence::DbError& error) {
        print_error(streams, with_database(in_full(error, session), session));
        return ExitCode::failed;
    } catch (const std::invalid_argument& error) {
        print_error_lines(streams, error.what());
        return ExitCode::wrong_usage;
    } catch (const std::bad_alloc&) {
        print_error_lines(streams, "there is not enough memory");
        return ExitCode::failed;
    } catch (const std::exception& error) {
        print_error_lines(streams, error.what());
        return ExitCode::failed;
    }
}

/// A service is not asked while somebody types, and the database here is not the one meant.
[[nodiscard]] bool is_of_server(const TypedDatabase& typed, const Environment& environment) {
    return typed.server ||
           (environment.contains("JOBSTRAND_SERVER") && !typed.url && !typed.config_file);
}

/// What shells ask while somebody types. Whatever is wrong, there is nothing to offer then, and
/// nothing to say.
[[nodiscard]] ExitCode answer_shell(
    const std::vector<std::string>& arguments,
    Streams& streams,
    const Environment& environment
) {
    std::ostringstream unheard;
    const auto values_of = [&](ValueSource source,
                               const TypedDatabase& database,
                               std::string_view typed) -> std::vector<Candidate> {
        if (is_of_server(database, environment)) {
            return {};
        }
        // Defended catch: a message would stand in the line that is being typed.
        try {
            Session session(
                {.in = streams.in, .out = unheard, .err = unheard},
                environment,
                {.database_url = database.url,
                 .config_file = database.config_file,
                 .engine = database.engine}
            );
            return known_values(session, source, typed);
        } catch (const std::exception&) {
            return {};
        }
    };
    const std::vector<std::string> words(arguments.begin() + 1, arguments.end());
    streams.out << lines_of(complete(Program().description(), words, values_of));
    return ExitCode::done;
}

[[nodiscard]] ExitCode
run(const std::vector<std::string>& arguments, Streams& streams, const Environment& environment) {
    if (is_shells_question(arguments)) {
        return answer_shell(arguments, streams, environment);
    }
    Program program;
    streams.err_is_coloured = streams.err_is_terminal && takes_colours(environment);
    if (const auto answer = program.parse(arguments, streams)) {
        return *answer;
    }
    const std::string when = program.globals().color;
    streams.err_is_coloured = when == "always" || (when != "never" && streams.err_is_coloured);
    // Defended catch: -o is read before there is a session to tell of it.
    try {
        if (is_for_all_engines(program, streams, environment)) {
            return run_on_all_engines(program, streams, environment);
        }
        Session session(streams, environment, program.globals());
        const std::string words = program.typed().words;
        const bool is_over_network = served_operation_named(words) != nullptr || words == kLockRun;
        const auto server = server_meant(program.globals(), environment, is_over_network);
        return run_typed(program, server, streams, session);
    } catch (const CliError& error) {
        print_error_lines(streams, error.what());
        return error.code();
    } catch (const std::system_error& error) {
        print_error_lines(streams, error.what());
        return ExitCode::failed;
    }
}

/// Whoever reads the exit code counts on the output: `dead ls >backup && dead rm --all`.
[[nodiscard]] bool has_arrived(Streams& streams) {
    if (streams.out.flush()) {
        return true;
    }
    if (streams.when_out_fails != nullptr) {
        streams.when_out_fails();
    }
    streams.err << message_start(streams.err_is_coloured)
                << "the output could not be written; is the disk full?\n";
    return false;
}

}  // namespace

bool is_shells_question(const std::vector<std::string>& arguments) {
    return !arguments.empty() && arguments.front() == "__complete";
}

int run_cli(
    const std::vector<std::string>& arguments,
    Streams streams,
    const Environment& environment
) {
    const ExitCode code = run(arguments, streams, environment);
    return static_cast<int>(has_arrived(streams) ? code : ExitCode::failed);
}

}  // namespace jobstrand::cli
