#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

struct NodeListOptions {};

/// `node ls`: the nodes that live, and what they do.
[[nodiscard]] ExitCode list_nodes(Session& session, const NodeListOptions& options);

struct NodeChangeOptions {
    std::vector<std::string> nodes;
    bool waits = false;
};

/// `node drain`: the nodes end what they hold and take nothing more.
[[nodiscard]] ExitCode drain_nodes(Session& session, const NodeChangeOptions& options);

/// `node resume`: they take jobs again.
[[nodiscard]] ExitCode resume_nodes(Session& session, const NodeChangeOptions& options);

}  // namespace jobstrand::cli
