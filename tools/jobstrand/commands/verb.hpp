#pragma once

#include "tools/jobstrand/commands/command_line.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"
#include "tools/service/http/role.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace jobstrand::cli {

/// What the verbs do.
struct Action {
    /// What was asked for on the command line; set while it is read, run afterwards.
    std::function<ExitCode(Session&)> run = {};

    /// The verbs that services run for clients, as `job ls`, and what such a client must be allowed
    /// to; set by their declarations.
    std::map<std::string, service::Role, std::less<>> over_network = {};

    /// Those of them that tell of and change only jobs that the scope of a client's token leaves:
    /// all that they know of jobs is from Session::store() and what is made of it.
    std::set<std::string, std::less<>> honouring_scope = {};

    /// The verbs that are written down: those that need an administrator, and some for this machine
    /// alone.
    std::set<std::string, std::less<>> audited = {};
};

struct VerbText {
    const char* name;
    const char* summary;
    const char* examples;  ///< One per line, indented by two.

    /// Who may have a service run it; nullopt: nobody, it is for the machine that it runs on.
    std::optional<service::Role> over_network = {};

    /// Of a verb that services run: see Action::honouring_scope. Others refuse narrow tokens.
    bool honours_scope = false;

    /// Of a verb for this machine alone: whether it changes jobs.
    bool changes_jobs_here = false;
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
        action.run = [options, run](Session& session) { return run(session, *options); };
    };
    const Command app = noun.add_verb(text.name, text.summary, text.examples, choose);
    if (text.over_network) {
        action.over_network.emplace(app.words(), *text.over_network);
    }
    if (text.honours_scope) {
        action.honouring_scope.insert(app.words());
    }
    if (text.over_network == service::Role::admin || text.changes_jobs_here) {
        action.audited.insert(app.words());
    }
    return {.app = app, .options = *options};
}

}  // namespace jobstrand::cli
