#pragma once

#include <string>
#include <string_view>
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
