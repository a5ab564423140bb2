#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// A verb as it was typed, for whoever runs it elsewhere.
struct TypedVerb {
    /// A file that an option names.
    struct File {
        std::string option;  ///< For messages: `--from`.
        std::string name;
    };

    std::string words;  ///< Noun and verb: `job add`.

    /// What stood behind them, without the global options: options first, arguments last.
    std::vector<std::string> arguments = {};

    std::vector<File> files = {};  ///< Which it reads.
    bool reads_input = false;      ///< Whether it reads stdin.
};

/// An option or an argument of a command, as it was declared.
struct OptionDescription {
    std::vector<std::string> names = {};  ///< `-o`, `--output`; of an argument its name: `ids`.
    std::string value;  ///< What its value is called: `FORMAT`; empty: it takes none.
    std::string meaning;
    std::string group;  ///< The heading under which it stands; `Options` if none was given.
    bool is_argument = false;
    bool is_required = false;
    bool is_repeated = false;  ///< It may be given several times.
};

/// The program, a noun or a verb, as it was declared: what help, manual pages and completion are
/// made from. What is hidden from help is not in it.
struct CommandDescription {
    std::string name;
    std::string summary;
    std::string footer;  ///< Remarks and examples, as help shows them.
    std::vector<OptionDescription> options = {};
    std::vector<CommandDescription> commands = {};
};

/// The command below `command` that has this name; null: there is none.
[[nodiscard]] const CommandDescription*
command_named(const CommandDescription& command, std::string_view name);

}  // namespace jobstrand::cli

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The command line under declaration: a thin layer over CLI11. Each source that includes that
/// library takes seconds to compile, so only the sources behind this layer do.
namespace jobstrand::cli {

/// An option that was just declared.
class CommandOption final {
public:
    explicit CommandOption(CLI::Option& option) : option_(&option) {}

    /// What its value is called in the help: `FILE`.
    CommandOption type_name(const std::string& name) const;

    /// The heading of the help under which it stands.
    CommandOption group(const std::string& heading) const;

    CommandOption required() const;

    /// At most one of the two is given.
    CommandOption excludes(CommandOption other) const;

private:
    CLI::Option* option_;
};

/// The program, a noun or a verb. A handle: copies are the same command.
///
/// Options are read into the values that they were declared with, which must outlive the reading.
/// Names are `-y,--yes`; those without dashes stand for themselves, in their order.
class Command final {
public:
    explicit Command(CLI::App& app) : app_(&app) {}

    /// `examples`: one per line, indented by two. A noun has a hidden verb `help` as well.
    [[nodiscard]] Command add_noun(
        const std::string& name,
        const std::string& summary,
        const std::string& examples
    ) const;

    /// `on_chosen` is called when the verb was what the user typed. `examples` as of a noun.
    [[nodiscard]] Command add_verb(
        const std::string& name,
        const std::string& summary,
        const std::string& examples,
        std::function<void()> on_chosen
    ) const;

    CommandOption add_option(
        const std::string& names,
        std::optional<std::string>& value,
        const std::string& meaning
    ) const;
    CommandOption add_option(
        const std::string& names,
        std::vector<std::string>& values,
        const std::string& meaning
    ) const;

    /// One value behind each name, which may be given again.
    CommandOption add_repeated_option(
        const std::string& names,
        std::vector<std::string>& values,
        const std::string& meaning
    ) const;

    CommandOption add_flag(const std::string& names, bool& flag, const std::string& meaning) const;

    /// How it is typed behind the program's name: `job add`; empty for the program.
    [[nodiscard]] std::string words() const;

    /// What was typed behind it. Precondition: it is a verb, and the line has been read.
    [[nodiscard]] TypedVerb typed() const;

    /// All that was declared, here and below.
    [[nodiscard]] CommandDescription description() const;

private:
    CLI::App* app_;
};

}  // namespace jobstrand::cli
