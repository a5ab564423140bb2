#pragma once

#include "tools/jobstrand/commands/command_line.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <functional>
#include <memory>

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
    Command app;
    Options& options;
};

template <typename Options>
[[nodiscard]] Verb<Options> add_verb(
    const Command& noun,
    Action& action,
    const VerbText& text,
    ExitCode (*run)(Session&, const Options&)
) {
    auto options = std::make_shared<Options>();
    const auto choose = [&action, options, run] {
        action = [options, run](Session& session) { return run(session, *options); };
    };
    return {
        .app = noun.add_verb(text.name, text.summary, text.examples, choose), .options = *options};
}

}  // namespace jobstrand::cli
