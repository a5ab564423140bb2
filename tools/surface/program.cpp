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

const CommandDescription* command_named(const CommandDescription& command, std::string_view name) {
    const auto found = std::ranges::find(command.commands, name, &CommandDescription::name);
    return found == command.commands.end() ? nullptr : &*found;
}

namespace {

using Chosen = std::function<ExitCode(Session&)>;

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

CLI::Option* add_parameter(CLI::App& verb, const Parameter& parameter, Typed& typed) {
    const auto add = [&]() -> CLI::Option* {
        switch (parameter.kind) {
            case ParameterKind::flag:
                return verb.add_flag(parameter.names, typed.flag, parameter.meaning);
            case ParameterKind::texts:
                return verb.add_option(parameter.names, typed.texts, parameter.meaning);
            case ParameterKind::repeated:
                return verb.add_option(parameter.names, typed.texts, parameter.meaning)
                    ->allow_extra_args(false);
            default:
                return verb.add_option(parameter.names, typed.text, parameter.meaning);
        }
    };
    CLI::Option* const option = add();
    if (!parameter.rules.unit.empty()) {
        option->type_name(parameter.rules.unit);
    }
    if (!parameter.rules.heading.empty()) {
        option->group(parameter.rules.heading);
    }
    return option->required(parameter.rules.is_required);
}

void add_operation(CLI::App& noun, Chosen& chosen, const Operation& operation) {
    const OperationText& text = operation.text;
    const auto typed = std::make_shared<std::vector<Typed>>(operation.parameters.size());
    const auto choose = [&chosen, operation, typed] {
        chosen = [operation, typed](Session& session) {
            GivenTexts given;
            for (std::size_t i = 0; i < typed->size(); ++i) {
                given.texts.push_back((*typed)[i].all());
                given.labels.push_back(operation.parameters[i].option_name());
            }
            return operation.run(session, given);
        };
    };
    CLI::App* const verb =
        noun.add_subcommand(text.words.substr(text.words.find(' ') + 1), text.summary);
    // `fallthrough` lets the global options stand behind nouns and verbs as well.
    verb->fallthrough()->callback(choose)->footer("\nExamples:\n" + text.examples);
    CLI::Option* previous = nullptr;
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
        const Parameter& parameter = operation.parameters[i];
        CLI::Option* const option = add_parameter(*verb, parameter, (*typed)[i]);
        if (parameter.rules.excludes_previous) {
            option->excludes(previous);
        }
        previous = option;
    }
}

/// Declares the operations of a noun as verbs of the program, which set `chosen`.
void add_operations(CLI::App& program, Chosen& chosen, const OperationNoun& noun) {
    CLI::App* declared = &program;
    if (!noun.name.empty()) {
        declared = program.add_subcommand(noun.name, noun.summary);
        declared->require_subcommand(1)->fallthrough()->footer("\nExamples:\n" + noun.examples);
        // Its words are those of verbs, and none of the program's.
        declared->add_subcommand("help", "Help for a verb")
            ->allow_extras()
            ->fallthrough(false)
            ->group("");
    }
    for (const Operation& operation : noun.operations) {
        add_operation(*declared, chosen, operation);
    }
}

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

[[nodiscard]] OptionDescription described(const CLI::Option& option) {
    OptionDescription description{
        .value = option.get_type_size() == 0 ? "" : option.get_type_name(),
        .meaning = option.get_description(),
        .group = option.get_group(),
        .is_argument = option.get_positional(),
        .is_required = option.get_required(),
        .is_repeated = option.get_expected_max() >= CLI::detail::expected_max_vector_size,
    };
    if (description.is_argument) {
        description.names.push_back(option.get_name(true));
        return description;
    }
    for (const std::string& letter : option.get_snames()) {
        description.names.push_back('-' + letter);
    }
    for (const std::string& word : option.get_lnames()) {
        description.names.push_back("--" + word);
    }
    return description;
}

[[nodiscard]] CommandDescription described(const CLI::App& app) {
    CommandDescription description{
        .name = app.get_name(),
        .summary = app.get_description(),
        .footer = app.get_footer(),
    };
    for (const CLI::Option* const option : app.get_options()) {
        description.options.push_back(described(*option));
    }
    for (const CLI::App* const command : app.get_subcommands(nullptr)) {
        if (!command->get_group().empty()) {
            description.commands.push_back(described(*command));
        }
    }
    return description;
}

/// What a value makes the verb read.
void note_reading(const CLI::Option& option, const std::string& value, TypedVerb& typed) {
    const std::string type = option.get_type_name();
    const bool is_file = type.starts_with("FILE");
    const bool is_payload = type == "JSON";
    if (value == "-") {
        typed.reads_input = typed.reads_input || is_file || is_payload || option.get_positional();
    } else if (is_file) {
        typed.files.push_back({.option = option.get_name(), .name = value});
    } else if (is_payload && value.starts_with('@')) {
        typed.files.push_back({.option = option.get_name(), .name = value.substr(1)});
    }
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
    for (const OperationNoun& noun : operation_nouns()) {
        add_operations(*app_, chosen_, noun);
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
    const Operation* const operation = operation_named(verb.words);
    const bool is_audited = operation != nullptr && operation->text.role == service::Role::admin;
    return is_audited ? run_audited(session, verb, chosen_) : chosen_(session);
}

TypedVerb Program::typed() const {
    const CLI::App& verb = deepest();
    const std::string words = words_of(verb);
    TypedVerb typed{.words = words.substr(words.find(' ') + 1)};
    std::vector<std::string> positional;
    for (const CLI::Option* const option : verb.get_options()) {
        const bool is_flag = option->get_items_expected_max() == 0;
        // One that was not given has results of its own.
        const auto values = option->count() == 0 ? CLI::results_t() : option->results();
        for (const std::string& value : values) {
            if (!option->get_positional()) {
                typed.arguments.push_back(option->get_name());
            }
            if (!is_flag) {
                note_reading(*option, value, typed);
                (option->get_positional() ? positional : typed.arguments).push_back(value);
            }
        }
    }
    if (!positional.empty()) {
        typed.arguments.emplace_back("--");
        std::ranges::move(positional, std::back_inserter(typed.arguments));
    }
    return typed;
}

CommandDescription Program::description() const {
    return described(*app_);
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
