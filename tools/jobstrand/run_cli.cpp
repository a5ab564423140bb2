#include "tools/jobstrand/run_cli.hpp"

#include "persistence/sql/db_error.hpp"
#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/process.hpp"
#include "tools/jobstrand/settings/nearest_name.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>

#ifndef JOBSTRAND_VERSION
#error "the build defines the version"
#endif

namespace jobstrand::cli {

namespace {

constexpr const char* kFooter = R"(
Global options may stand anywhere. The database comes from --db, else JOBSTRAND_DB, else `db` in the
configuration file; that file from --config, else JOBSTRAND_CONFIG.

Examples:
  jobstrand schema create --db sqlite:jobs.db
  jobstrand serve --db sqlite:jobs.db
  jobstrand job add --db sqlite:jobs.db --type log --payload '{"hello":"world"}'
  jobstrand stats --db sqlite:jobs.db -o json

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 partly done, 4 not found, 5 refused, 6 a check found
something.)";

/// The command line under declaration.
class CommandLine {
public:
    CommandLine() : program_("Background jobs beside your app.", "jobstrand") {
        program_.set_version_flag("--version", "jobstrand " JOBSTRAND_VERSION);
        program_.add_option("--db", globals_.database_url, "Database URL: sqlite:PATH, ...")
            ->type_name("URL");
        program_.add_option("--config", globals_.config_file, "Configuration file")
            ->type_name("FILE.toml");
        program_.add_option("-o,--output", globals_.output, "table, json, jsonl, csv or name")
            ->type_name("FORMAT");
        program_
            .add_option(
                "--color",
                globals_.color,
                "auto (on terminals, unless NO_COLOR is set), always or never"
            )
            ->type_name("WHEN");
        program_.require_subcommand(1);
        program_.footer(kFooter);
        const Command program(program_);
        add_serve_command(program, action_);
        add_schema_commands(program, action_);
        add_job_commands(program, action_);
        add_timer_commands(program, action_);
        add_series_commands(program, action_);
        add_group_commands(program, action_);
        add_calendar_commands(program, action_);
        add_dead_commands(program, action_);
        add_instance_commands(program, action_);
        add_definition_commands(program, action_);
        add_stats_command(program, action_);
        add_config_commands(program, action_);
    }

    /// nullopt: go on with run(). Else everything is said and this is the exit code.
    [[nodiscard]] std::optional<ExitCode>
    parse(std::vector<std::string> arguments, Streams& streams) {
        std::reverse(arguments.begin(), arguments.end());  // What CLI11 wants.
        // Defended catch: this library answers `--help` and wrong usage by throwing.
        try {
            program_.parse(std::move(arguments));
            return std::nullopt;
        } catch (const CLI::ParseError& answer) {
            return say(answer, streams);
        }
    }

    [[nodiscard]] ExitCode run(Session& session) const { return action_(session); }
    [[nodiscard]] const GlobalOptions& globals() const { return globals_; }

private:
    [[nodiscard]] ExitCode say(const CLI::ParseError& answer, Streams& streams) const {
        if (answer.get_exit_code() == 0) {
            (void)program_.exit(answer, streams.out, streams.err);
            return ExitCode::done;
        }
        const std::vector<std::string> unknown = program_.remaining(true);
        streams.err << fmt::format(
            "jobstrand: {}; see `{} --help`\n",
            without_password(
                unknown.empty() ? printable(answer.what()) : what_is_near(unknown.front())
            ),
            asked_for()
        );
        return ExitCode::wrong_usage;
    }

    [[nodiscard]] std::string what_is_near(const std::string& word) const {
        std::vector<std::string> known;
        const CLI::App& app = deepest();
        const bool is_option = word.starts_with('-');
        for (const CLI::App* at = &app; is_option && at != nullptr; at = at->get_parent()) {
            for (const CLI::Option* option : at->get_options()) {
                known.push_back(option->get_name());
            }
        }
        for (const CLI::App* verb : app.get_subcommands(nullptr)) {
            if (!is_option) {
                known.push_back(verb->get_name());
            }
        }
        const std::vector<std::string_view> names(known.begin(), known.end());
        const std::string_view nearest = nearest_name(word, names);
        return fmt::format(
            "{} is not known{}",
            quoted_if_needed(word),
            nearest.empty() ? "" : fmt::format(" here; did you mean {}?", nearest)
        );
    }

    /// The noun or verb that was recognised last.
    [[nodiscard]] const CLI::App& deepest() const {
        const CLI::App* app = &program_;
        while (!app->get_subcommands().empty()) {
            app = app->get_subcommands().front();
        }
        return *app;
    }

    /// The command as far as it was understood: "jobstrand job add".
    [[nodiscard]] std::string asked_for() const {
        std::string words;
        for (const CLI::App* app = &deepest(); app != nullptr; app = app->get_parent()) {
            words = app->get_name() + (words.empty() ? "" : " " + words);
        }
        return words;
    }

    Action action_;
    GlobalOptions globals_;
    CLI::App program_;
};

void tell(Streams& streams, const std::string& message) {
    streams.out.flush();
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
        streams.err << "jobstrand: " << without_password(printable(line)) << '\n';
    }
    streams.err.flush();
}

/// The advice to create or upgrade the tables, as a command that can be pasted.
[[nodiscard]] std::string with_database(std::string message, const std::string& url) {
    for (const std::string advice :
         {"`jobstrand schema create",
          "`jobstrand schema upgrade",
          "`jobstrand schema index priority --create"}) {
        const std::size_t found = message.find(advice + '`');
        if (found != std::string::npos) {
            message.insert(found + advice.size(), " --db " + url);
        }
    }
    return message;
}

/// The one place that turns what a command throws into words and an exit code.
[[nodiscard]] ExitCode run_guarded(const CommandLine& line, Streams& streams, Session& session) {
    try {
        return line.run(session);
    } catch (const CliError& error) {
        tell(streams, error.what());
        return error.code();
    } catch (const persistence::DbError& error) {
        tell(streams, with_database(error.what(), session.shown_database_url()));
        return ExitCode::failed;
    } catch (const std::invalid_argument& error) {
        tell(streams, error.what());
        return ExitCode::wrong_usage;
    } catch (const std::bad_alloc&) {
        tell(streams, "there is not enough memory");
        return ExitCode::failed;
    } catch (const std::exception& error) {
        tell(streams, error.what());
        return ExitCode::failed;
    }
}

[[nodiscard]] ExitCode
run(const std::vector<std::string>& arguments, Streams& streams, const Environment& environment) {
    CommandLine line;
    if (const auto answer = line.parse(arguments, streams)) {
        return *answer;
    }
    // Defended catch: -o is read before there is a session to tell of it.
    try {
        Session session(streams, environment, line.globals());
        return run_guarded(line, streams, session);
    } catch (const CliError& error) {
        tell(streams, error.what());
        return error.code();
    }
}

/// Whoever reads the exit code counts on the output: `dead ls >backup && dead rm --all`.
[[nodiscard]] bool has_arrived(Streams& streams) {
    if (streams.out.flush()) {
        return true;
    }
    streams.err << "jobstrand: the output could not be written; is the disk full?\n";
    return false;
}

}  // namespace

int run_cli(
    const std::vector<std::string>& arguments,
    Streams streams,
    const Environment& environment
) {
    const ExitCode code = run(arguments, streams, environment);
    return static_cast<int>(has_arrived(streams) ? code : ExitCode::failed);
}

}  // namespace jobstrand::cli
