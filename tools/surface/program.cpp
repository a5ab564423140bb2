#include "tools/surface/program.hpp"

#include "tools/operations/nouns.hpp"
#include "tools/output/output_style.hpp"
#include "tools/process/this_process.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace jobstrand::cli {

namespace {

/// What was typed of one parameter.
struct Typed {
    std::optional<std::string> text;
    std::vector<std::string> texts;
    bool flag = false;

    [[nodiscard]] std::vector<std::string> all() const {
        if (flag) {
            return {std::string()};
        }
        return text ? std::vector{*text} : texts;
    }
};

CommandOption add_parameter(const Command& verb, const Parameter& parameter, Typed& typed) {
    const auto add = [&] {
        switch (parameter.kind) {
            case ParameterKind::flag:
                return verb.add_flag(parameter.names, typed.flag, parameter.meaning);
            case ParameterKind::texts:
                return verb.add_option(parameter.names, typed.texts, parameter.meaning);
            case ParameterKind::repeated:
                return verb.add_repeated_option(parameter.names, typed.texts, parameter.meaning);
            default:
                return verb.add_option(parameter.names, typed.text, parameter.meaning);
        }
    };
    const CommandOption option = add();
    if (!parameter.rules.unit.empty()) {
        option.type_name(parameter.rules.unit);
    }
    if (!parameter.rules.heading.empty()) {
        option.group(parameter.rules.heading);
    }
    if (parameter.rules.is_required) {
        option.required();
    }
    return option;
}

void add_operation(const Command& noun, Action& action, const Operation& operation) {
    const OperationText& text = operation.text;
    const auto typed = std::make_shared<std::vector<Typed>>(operation.parameters.size());
    const auto choose = [&action, operation, typed] {
        action.run = [operation, typed](Session& session) {
            GivenTexts given;
            for (std::size_t i = 0; i < typed->size(); ++i) {
                given.texts.push_back((*typed)[i].all());
                given.labels.push_back(operation.parameters[i].option_name());
            }
            return operation.run(session, given);
        };
    };
    const std::string verb = text.words.substr(text.words.find(' ') + 1);
    const Command app = noun.add_verb(verb, text.summary, text.examples, choose);
    std::optional<CommandOption> previous;
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
        const Parameter& parameter = operation.parameters[i];
        const CommandOption option = add_parameter(app, parameter, (*typed)[i]);
        if (parameter.rules.excludes_previous) {
            option.excludes(previous.value());
        }
        previous = option;
    }
    if (!text.is_local) {
        action.over_network.emplace(text.words, text.role);
    }
    if (text.honours_scope) {
        action.honouring_scope.insert(text.words);
    }
    if (text.role == service::Role::admin) {
        action.audited.insert(text.words);
    }
}

}  // namespace

void add_operations(const Command& program, Action& action, const OperationNoun& noun) {
    const Command declared =
        noun.name.empty() ? program : program.add_noun(noun.name, noun.summary, noun.examples);
    for (const Operation& operation : noun.operations) {
        add_operation(declared, action, operation);
    }
}

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

#ifndef JOBSTRAND_VERSION
#error "the build defines the version"
#endif

namespace jobstrand::cli {

namespace {

constexpr const char* kHelp = "help";

constexpr const char* kFooter = R"(
Global options may stand anywhere. The database comes from --db, else JOBSTRAND_DB, else `db` in the
configuration file; that file from --config, else JOBSTRAND_CONFIG, else, without a database, that of
the package, /etc/jobstrand/jobstrand.toml. With --server, else
JOBSTRAND_SERVER, a running service does it instead; its token is in the file of --token-file, else
JOBSTRAND_TOKEN_FILE. `jobstrand NOUN` and `jobstrand help NOUN VERB` have more, with examples.

Examples:
  jobstrand schema create --db sqlite:jobs.db
  jobstrand serve --db sqlite:jobs.db
  jobstrand job add --db sqlite:jobs.db --type log --payload '{"hello":"world"}'
  jobstrand stats --db sqlite:jobs.db -o json

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 partly done, 4 not found, 5 refused, 6 a check found
something.)";

/// `jobstrand job add`: a command as it is typed.
[[nodiscard]] std::string words_of(const CLI::App& command) {
    std::string words;
    for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
        words = app->get_name() + (words.empty() ? "" : " " + words);
    }
    return words;
}

[[nodiscard]] std::string help_of(const CLI::App& command) {
    // Not App::help(), which would tell of what was typed below it.
    return command.get_formatter()->make_help(
        &command, words_of(command), CLI::AppFormatMode::Normal
    );
}

/// For a terminal of so many columns; into a file or a pipe, lines are as long as need be.
[[nodiscard]] std::string fitted(std::string help, std::optional<std::size_t> columns) {
    return columns ? wrapped_help(help, *columns) : help;
}

[[nodiscard]] bool wants_a_subcommand(const CLI::App& command) {
    return command.get_require_subcommand_min() > 0;
}

}  // namespace

Program::Program()
    : app_(std::make_unique<CLI::App>("Background jobs beside your app.", "jobstrand")) {
    app_->set_version_flag("--version", "jobstrand " JOBSTRAND_VERSION);
    app_->require_subcommand(1);
    app_->footer(kFooter);
    add_global_options();
    add_commands();
}

Program::~Program() = default;

void Program::add_global_options() {
    app_->add_option("--db", globals_.database_url, "Database URL: sqlite:PATH, ...")
        ->type_name("URL");
    app_->add_option("--config", globals_.config_file, "Configuration file")
        ->type_name("FILE.toml");
    app_->add_option("--engine", globals_.engine, "Which engine of the configuration file, or all")
        ->type_name("NAME");
    app_->add_option("-o,--output", globals_.output, "table, json, jsonl, csv or name")
        ->type_name("FORMAT");
    app_->add_option(
            "--color", globals_.color, "auto (on terminals without NO_COLOR), always, never"
    )
        ->type_name("WHEN");
    app_->add_option("--server", globals_.server, "Have this service run the verb: http[s]://HOST")
        ->type_name("URL");
    app_->add_option("--token-file", globals_.token_file, "The token that lets us in there")
        ->type_name("FILE");
    app_->add_option("--reason", globals_.reason, "Why you change something, for the audit")
        ->type_name("TEXT");
}

void Program::add_commands() {
    const Command program(*app_);
    for (const OperationNoun& noun : operation_nouns()) {
        add_operations(program, action_, noun);
    }
    app_->add_subcommand(kHelp, "Help for a noun or a verb: help job add")->allow_extras();
}

std::optional<ExitCode> Program::parse(std::vector<std::string> arguments, Streams& streams) {
    std::reverse(arguments.begin(), arguments.end());  // What CLI11 wants.
    // Defended catch: this library answers `--help` and wrong usage by throwing.
    try {
        app_->parse(std::move(arguments));
        return answer_help(streams);
    } catch (const CLI::ParseError& answer) {
        return say(answer, streams);
    }
}

ExitCode Program::run(Session& session) const {
    const TypedVerb verb = typed();
    return action_.audited.contains(verb.words) ? run_audited(session, verb, action_.run)
                                                : action_.run(session);
}

TypedVerb Program::typed() const {
    CLI::App* verb = app_.get();
    while (!verb->get_subcommands().empty()) {
        verb = verb->get_subcommands().front();
    }
    return Command(*verb).typed();
}

CommandDescription Program::description() const {
    return Command(*app_).description();
}

/// `help job add`, `job help` and `job help add`; nullopt: it was no question for help.
std::optional<ExitCode> Program::answer_help(Streams& streams) const {
    const CLI::App& asked = deepest();
    if (asked.get_name() != kHelp) {
        return std::nullopt;
    }
    const CLI::App* about = asked.get_parent();
    for (const std::string& word : asked.remaining()) {
        const auto known = about->get_subcommands([&word](const CLI::App* command) {
            return command->get_name() == word;
        });
        if (known.empty()) {
            streams.err << fmt::format(
                "{}{} has no {}; see `{} --help`\n",
                message_start(streams.err_is_coloured),
                words_of(*about),
                quoted_if_needed(word),
                words_of(*about)
            );
            return ExitCode::wrong_usage;
        }
        about = known.front();
    }
    streams.out << fitted(help_of(*about), streams.out_columns);
    return ExitCode::done;
}

ExitCode Program::say(const CLI::ParseError& answer, Streams& streams) const {
    if (answer.get_exit_code() == 0) {
        std::ostringstream text;
        (void)app_->exit(answer, text, text);
        streams.out << fitted(text.str(), streams.out_columns);
        return ExitCode::done;
    }
    const std::vector<std::string> unknown = app_->remaining(true);
    const CLI::App& command = deepest();
    if (unknown.empty() && wants_a_subcommand(command) && command.get_subcommands().empty() &&
        answer.get_name() == "RequiredError") {
        // A noun alone asks for help; but a script in which the verb is missing must not go on.
        streams.err << fitted(help_of(command), streams.out_columns) << "\n"
                    << message_start(streams.err_is_coloured)
                    << (command.get_parent() == nullptr ? "a noun" : "a verb") << " is missing\n";
        return ExitCode::wrong_usage;
    }
    streams.err << fmt::format(
        "{}{}; see `{} --help`\n",
        message_start(streams.err_is_coloured),
        without_password(
            unknown.empty() ? printable(answer.what()) : what_is_near(unknown.front())
        ),
        words_of(command)
    );
    return ExitCode::wrong_usage;
}

std::string Program::what_is_near(const std::string& word) const {
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
const CLI::App& Program::deepest() const {
    const CLI::App* app = app_.get();
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
    }
    return *app;
}

void print_error_lines(Streams& streams, const std::string& message) {
    streams.out.flush();
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
        streams.err << message_start(streams.err_is_coloured) << without_password(printable(line))
                    << '\n';
    }
    streams.err.flush();
}

}  // namespace jobstrand::cli
