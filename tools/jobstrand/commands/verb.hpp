#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>

/// Declaring commands. Only the files that declare some include this: CLI11 is slow to compile, and
/// what a command does needs none of it.
namespace jobstrand::cli {

/// What was asked for on the command line; set while it is read, run afterwards.
using Action = std::function<ExitCode(Session&)>;

struct VerbText {
    const char* name;
    const char* summary;
    const char* examples;  ///< One per line, indented by two.
};

/// A verb under declaration: options are added to `app` and read into `options`.
template <typename Options>
struct Verb {
    CLI::App& app;
    Options& options;
};

/// `fallthrough` lets the global options stand behind the verb as well.
[[nodiscard]] inline CLI::App& add_noun(CLI::App& program, const char* name, const char* summary) {
    CLI::App* noun = program.add_subcommand(name, summary);
    noun->require_subcommand(1)->fallthrough();
    return *noun;
}

template <typename Options>
[[nodiscard]] Verb<Options> add_verb(
    CLI::App& noun,
    Action& action,
    const VerbText& text,
    ExitCode (*run)(Session&, const Options&)
) {
    CLI::App* app = noun.add_subcommand(text.name, text.summary);
    app->fallthrough();
    app->footer(std::string("\nExamples:\n") + text.examples);
    auto options = std::make_shared<Options>();
    app->callback([&action, options, run] {
        action = [options, run](Session& session) { return run(session, *options); };
    });
    return {.app = *app, .options = *options};
}

}  // namespace jobstrand::cli
