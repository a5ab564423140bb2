#include "tools/operations/nouns.hpp"
#include "tools/surface/manual_page.hpp"
#include "tools/surface/program.hpp"
#include "tools/surface/shell_scripts.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace jobstrand::cli {

namespace {

struct ManualOptions {
    std::optional<std::string> noun;
    std::optional<std::string> folder;
};

[[nodiscard]] ManualEdition edition() {
    return {.version = "jobstrand " JOBSTRAND_VERSION, .date = JOBSTRAND_DATE};
}

void write_page(const std::filesystem::path& path, const std::string& page) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!(file << page).flush()) {
        throw CliError(ExitCode::failed, fmt::format("cannot write {}", printable(path.string())));
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
    throw CliError(ExitCode::not_found, fmt::format("there is no noun {}", quoted_if_needed(name)));
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
