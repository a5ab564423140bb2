#include "tools/surface/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::cli {

const CommandDescription* command_named(const CommandDescription& command, std::string_view name) {
    const auto found = std::ranges::find(command.commands, name, &CommandDescription::name);
    return found == command.commands.end() ? nullptr : &*found;
}

namespace {

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

}  // namespace

CommandOption CommandOption::type_name(const std::string& name) const {
    option_->type_name(name);
    return *this;
}

CommandOption CommandOption::group(const std::string& heading) const {
    option_->group(heading);
    return *this;
}

CommandOption CommandOption::required() const {
    option_->required();
    return *this;
}

CommandOption CommandOption::excludes(CommandOption other) const {
    option_->excludes(other.option_);
    return *this;
}

// `fallthrough` lets the global options stand behind nouns and verbs as well.

Command Command::add_noun(
    const std::string& name,
    const std::string& summary,
    const std::string& examples
) const {
    CLI::App* const noun = app_->add_subcommand(name, summary);
    noun->require_subcommand(1)->fallthrough();
    noun->footer("\nExamples:\n" + examples);
    // Its words are those of verbs, and none of the program's.
    noun->add_subcommand("help", "Help for a verb")->allow_extras()->fallthrough(false)->group("");
    return Command(*noun);
}

Command Command::add_verb(
    const std::string& name,
    const std::string& summary,
    const std::string& examples,
    std::function<void()> on_chosen
) const {
    CLI::App* const verb = app_->add_subcommand(name, summary);
    verb->fallthrough();
    verb->footer("\nExamples:\n" + examples);
    verb->callback(std::move(on_chosen));
    return Command(*verb);
}

CommandOption Command::add_option(
    const std::string& names,
    std::optional<std::string>& value,
    const std::string& meaning
) const {
    return CommandOption(*app_->add_option(names, value, meaning));
}

CommandOption Command::add_option(
    const std::string& names,
    std::vector<std::string>& values,
    const std::string& meaning
) const {
    return CommandOption(*app_->add_option(names, values, meaning));
}

CommandOption Command::add_repeated_option(
    const std::string& names,
    std::vector<std::string>& values,
    const std::string& meaning
) const {
    return CommandOption(*app_->add_option(names, values, meaning)->allow_extra_args(false));
}

CommandOption Command::add_flag(const std::string& names, bool& flag, const std::string& meaning)
    const {
    return CommandOption(*app_->add_flag(names, flag, meaning));
}

std::string Command::words() const {
    std::string words;
    for (const CLI::App* app = app_; app->get_parent() != nullptr; app = app->get_parent()) {
        words = app->get_name() + (words.empty() ? "" : " " + words);
    }
    return words;
}

TypedVerb Command::typed() const {
    TypedVerb typed{.words = words()};
    std::vector<std::string> positional;
    for (const CLI::Option* const option : app_->get_options()) {
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

CommandDescription Command::description() const {
    return described(*app_);
}

}  // namespace jobstrand::cli
