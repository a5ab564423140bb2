#include "tools/jobstrand/commands/command_line.hpp"

#include <CLI/CLI.hpp>

#include <utility>

namespace jobstrand::cli {

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

Command Command::add_noun(const std::string& name, const std::string& summary) const {
    CLI::App* const noun = app_->add_subcommand(name, summary);
    noun->require_subcommand(1)->fallthrough();
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
    std::string& value,
    const std::string& meaning
) const {
    return CommandOption(*app_->add_option(names, value, meaning));
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

CommandOption Command::add_flag(const std::string& names, bool& flag, const std::string& meaning)
    const {
    return CommandOption(*app_->add_flag(names, flag, meaning));
}

CommandOption Command::add_flag_callback(
    const std::string& names,
    std::function<void()> on_given,
    const std::string& meaning
) const {
    return CommandOption(*app_->add_flag_callback(names, std::move(on_given), meaning));
}

}  // namespace jobstrand::cli
