#pragma once

#include "tools/access/role.hpp"
#include "tools/operations/operation.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"
#include "tools/surface/command_line.hpp"

#include <functional>
#include <map>
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

/// Declares the operations of a noun as verbs of the program, which set `action`.
void add_operations(const Command& program, Action& action, const OperationNoun& noun);

}  // namespace jobstrand::cli
