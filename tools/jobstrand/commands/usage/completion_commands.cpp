#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/usage/shell_scripts.hpp"

namespace jobstrand::cli {

namespace {

struct NoScriptOptions {};

void add_script(
    const Command& noun,
    Action& action,
    const VerbText& text,
    ExitCode (*print)(Session&, const NoScriptOptions&)
) {
    (void)add_verb<NoScriptOptions>(noun, action, text, print);
}

ExitCode print_bash(Session& session, const NoScriptOptions&) {
    session.streams().out << bash_script();
    return ExitCode::done;
}

ExitCode print_zsh(Session& session, const NoScriptOptions&) {
    session.streams().out << zsh_script();
    return ExitCode::done;
}

ExitCode print_fish(Session& session, const NoScriptOptions&) {
    session.streams().out << fish_script();
    return ExitCode::done;
}

}  // namespace

void add_completion_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "completion",
        "What makes a shell complete nouns, verbs, options and their values",
        "  source <(jobstrand completion bash)\n"
        "  jobstrand completion fish | source"
    );
    add_script(
        noun,
        action,
        {.name = "bash",
         .summary = "Print the script for bash",
         .examples = "  source <(jobstrand completion bash)\n"
                     "  jobstrand completion bash >~/.local/share/bash-completion/completions/"
                     "jobstrand"},
        print_bash
    );
    add_script(
        noun,
        action,
        {.name = "zsh",
         .summary = "Print the script for zsh, to be sourced after compinit or put on the fpath",
         .examples = "  source <(jobstrand completion zsh)"},
        print_zsh
    );
    add_script(
        noun,
        action,
        {.name = "fish",
         .summary = "Print the script for fish",
         .examples = "  jobstrand completion fish | source\n"
                     "  jobstrand completion fish >~/.config/fish/completions/jobstrand.fish"},
        print_fish
    );
}

}  // namespace jobstrand::cli
