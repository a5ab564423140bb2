#include "tools/operations/nouns.hpp"
#include "tools/surface/build_date.hpp"
#include "tools/surface/command_line.hpp"
#include "tools/surface/completion.hpp"
#include "tools/surface/program.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace jobstrand::cli {

namespace {

/// What stands in the margins of a manual page.
struct ManualEdition {
    std::string version;  ///< `jobstrand 0.1.0`
    std::string date;     ///< ISO 8601
};

/// A text that roff shows as it is.
[[nodiscard]] std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";  // The dash of ASCII, which can be copied into a shell.
        } else if (c == '\'') {
            out += "\\(aq";
        } else if (c == '`') {
            out += "\\(ga";
        } else if (c == '^') {
            out += "\\(ha";
        } else if (c == '~') {
            out += "\\(ti";
        } else {
            out += c;
        }
    }
    // A line that begins with a dot would be a request.
    return out.starts_with('.') ? "\\&" + out : out;
}

[[nodiscard]] std::string upper(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) {
        return static_cast<char>(std::toupper(c));
    });
    return out;
}

[[nodiscard]] std::string head(std::string_view name, const ManualEdition& edition) {
    return fmt::format(
        ".TH {} 1 {} \"{}\" \"Jobstrand\"\n", roff(upper(name)), edition.date, roff(edition.version)
    );
}

[[nodiscard]] std::string section(std::string_view name) {
    return fmt::format(".SH {}\n", name);
}

/// Lines that are indented stand as they are; a line that ends in a colon before them is a heading.
void add_footer(std::string& page, const std::string& footer) {
    std::istringstream lines(footer);
    bool is_literal = false;
    bool is_text = false;
    for (std::string line; std::getline(lines, line);) {
        const bool is_indented = line.starts_with("  ");
        if (is_literal && !is_indented) {
            page += ".fi\n";
        }
        if (!is_literal && is_indented) {
            page += ".nf\n";
        }
        is_literal = is_indented;
        if (line == "Examples:") {
            page += section("EXAMPLES");
            is_text = true;
        } else if (line.starts_with("Exit codes: ")) {
            page += section("EXIT STATUS") + roff(line.substr(12)) + '\n';
            is_text = true;
        } else if (!line.empty()) {
            page += roff(is_indented ? line.substr(2) : line) + '\n';
            is_text = true;
        } else if (is_text) {
            is_text = false;
            page += lines.peek() == 'E' ? "" : ".PP\n";
        }
    }
    page += is_literal ? ".fi\n" : "";
}

/// The examples of a verb, whose page has one section for all of them.
void add_examples(std::string& page, const std::string& footer) {
    std::istringstream lines(footer);
    page += ".PP\nExamples:\n.PP\n.nf\n";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ")) {
            page += fmt::format("    {}\n", roff(line.substr(2)));
        }
    }
    page += ".fi\n";
}

[[nodiscard]] std::string argument_of(const OptionDescription& option) {
    const std::string name =
        fmt::format("\\fI{}\\fR{}", roff(option.names.front()), option.is_repeated ? " ..." : "");
    return option.is_required ? name : '[' + name + ']';
}

void add_option(std::string& page, const OptionDescription& option) {
    page += ".TP\n";
    for (const std::string& name : option.names) {
        page += fmt::format(
            "{}\\f{}{}\\fR",
            &name == &option.names.front() ? "" : ", ",
            option.is_argument ? 'I' : 'B',
            roff(name)
        );
    }
    if (!option.value.empty() && !option.is_argument) {
        page += fmt::format(" \\fI{}\\fR", roff(option.value));
    }
    page += '\n' + roff(option.meaning) + '\n';
}

void add_options(std::string& page, const CommandDescription& command) {
    std::string group = "Options";
    for (const OptionDescription& option : command.options) {
        if (option.group != group && !option.is_argument) {
            group = option.group;
            page += fmt::format(".PP\n{}:\n", roff(group));
        }
        add_option(page, option);
    }
}

[[nodiscard]] std::string usage_of(const std::string& name, const CommandDescription& command) {
    std::string usage = fmt::format("\\fB{}\\fR", roff(name));
    bool has_options = false;
    std::string arguments;
    for (const OptionDescription& option : command.options) {
        has_options = has_options || !option.is_argument;
        arguments += option.is_argument ? ' ' + argument_of(option) : "";
    }
    return usage + (has_options ? " [\\fIoptions\\fR]" : "") + arguments + '\n';
}

void add_verb(std::string& page, const std::string& name, const CommandDescription& verb) {
    page += usage_of(name, verb) + ".PP\n" + roff(verb.summary) + ".\n";
    add_options(page, verb);
    add_examples(page, verb.footer);
}

/// The page of the whole program, jobstrand.1: its nouns, global options and remarks; roff with the
/// macros of man(7).
[[nodiscard]] std::string
program_page(const CommandDescription& program, const ManualEdition& edition) {
    std::string page = head(program.name, edition);
    page += section("NAME") + fmt::format("{} \\- background jobs beside your app\n", program.name);
    page += section("SYNOPSIS");
    page += "\\fBjobstrand\\fR [\\fIoptions\\fR] \\fInoun\\fR \\fIverb\\fR [\\fIoptions\\fR]\n";
    page += section("DESCRIPTION") + roff(program.summary) + '\n';
    page += section("NOUNS");
    for (const CommandDescription& noun : program.commands) {
        page += fmt::format(
            ".TP\n\\fB{}\\fR\n{}; see \\fB{}\\fR(1).\n",
            roff(noun.name),
            roff(noun.summary),
            roff(fmt::format("jobstrand-{}", noun.name))
        );
    }
    page += section("OPTIONS");
    add_options(page, program);
    page += section("NOTES");
    add_footer(page, program.footer);
    return page;
}

/// The page of a noun with its verbs, jobstrand-NOUN.1.
[[nodiscard]] std::string noun_page(
    const CommandDescription& program,
    const CommandDescription& noun,
    const ManualEdition& edition
) {
    const std::string name = fmt::format("{}-{}", program.name, noun.name);
    const std::string typed = fmt::format("{} {}", program.name, noun.name);
    std::string page = head(name, edition);
    page += section("NAME") + fmt::format("{} \\- {}\n", roff(name), roff(noun.summary));
    page += section("SYNOPSIS");
    if (noun.commands.empty()) {
        page += usage_of(typed, noun);
    }
    for (const CommandDescription& verb : noun.commands) {
        page += &verb == &noun.commands.front() ? "" : ".br\n";
        page += usage_of(typed + ' ' + verb.name, verb);
    }
    page += section("DESCRIPTION");
    if (noun.commands.empty()) {
        add_verb(page, typed, noun);
    }
    for (const CommandDescription& verb : noun.commands) {
        page += fmt::format(".SS {}\n", roff(verb.name));
        add_verb(page, typed + ' ' + verb.name, verb);
    }
    page += section("GLOBAL OPTIONS");
    add_options(page, program);
    page += section("SEE ALSO") + "\\fBjobstrand\\fR(1), which has the exit codes.\n";
    return page;
}

/// `jobstrand-job.1`; of the program itself, which is named by an empty text, `jobstrand.1`.
[[nodiscard]] std::string page_name(std::string_view noun) {
    return noun.empty() ? "jobstrand.1" : fmt::format("jobstrand-{}.1", noun);
}

struct ManualOptions {
    std::optional<std::string> noun;
    std::optional<std::string> folder;
};

[[nodiscard]] ManualEdition edition() {
    return {.version = "jobstrand " JOBSTRAND_VERSION, .date = kBuildDate};
}

void write_page(const std::filesystem::path& path, const std::string& page) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!(file << page).flush()) {
        throw Failed("cannot write {}", printable(path.string()));
    }
}

void write_all(const CommandDescription& program, const std::filesystem::path& folder) {
    write_page(folder / page_name(""), program_page(program, edition()));
    for (const CommandDescription& noun : program.commands) {
        write_page(folder / page_name(noun.name), noun_page(program, noun, edition()));
    }
}

[[nodiscard]] std::string page_of(const CommandDescription& program, const std::string& name) {
    if (const CommandDescription* const noun = command_named(program, name)) {
        return noun_page(program, *noun, edition());
    }
    throw NotFound("there is no noun {}", quoted_if_needed(name));
}

ExitCode print_manual(Session& session, const ManualOptions& options) {
    const CommandDescription program = Program().description();
    if (options.folder) {
        write_all(program, *options.folder);
    } else {
        session.streams().out
            << (options.noun ? page_of(program, *options.noun) : program_page(program, edition()));
    }
    return ExitCode::done;
}

template <const auto& script>
ExitCode print_script(Session& session, const NoParameters&) {
    session.streams().out << script();
    return ExitCode::done;
}

}  // namespace

OperationNoun completion_noun() {
    return {
        .name = "completion",
        .summary = "What makes a shell complete nouns, verbs, options and their values",
        .examples =
            "  source <(jobstrand completion bash)\n"
            "  jobstrand completion fish | source",
        .operations =
            {
                local_operation<NoParameters>({.words = "completion bash", .summary = "Print the script for bash", .examples = "  source <(jobstrand completion bash)\n"
                    "  jobstrand completion bash >~/.local/share/bash-completion/completions/"
                    "jobstrand"}, {},
                    print_script<bash_script>
                ),
                local_operation<NoParameters>({.words = "completion zsh", .summary = "Print the script for zsh, to be sourced after compinit or put on the fpath", .examples = "  source <(jobstrand completion zsh)"}, {},
                    print_script<zsh_script>
                ),
                local_operation<NoParameters>({.words = "completion fish", .summary = "Print the script for fish", .examples = "  jobstrand completion fish | source\n"
                    "  jobstrand completion fish >~/.config/fish/completions/jobstrand.fish"}, {},
                    print_script<fish_script>
                ),
            },
    };
}

OperationNoun manual_verb() {
    return {
        .operations = {local_operation<ManualOptions>(
            {.words = "manual",
             .summary = "Print a manual page, of the program or of a noun",
             .examples = "  jobstrand manual job | man -l -\n"
                         "  jobstrand manual --into /usr/local/share/man/man1"},
            {{"noun", &ManualOptions::noun, "The noun", {.unit = "NOUN", .may_be_empty = true}},
             {"--into",
              &ManualOptions::folder,
              "Write all pages into a folder",
              {.unit = "FOLDER", .may_be_empty = true}}},
            print_manual
        )}};
}

}  // namespace jobstrand::cli
