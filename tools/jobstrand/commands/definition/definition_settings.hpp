#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

struct DefinitionListOptions {
    std::string definition;
    std::string element;
    std::string type;
    std::string limit = "100";
    std::string after;
};

/// `definition settings`: what is known of definitions, their elements and their types.
[[nodiscard]] ExitCode list_definitions(Session& session, const DefinitionListOptions& options);

struct DefinitionShowOptions {
    std::string name;
};

/// `definition show`.
[[nodiscard]] ExitCode show_definition(Session& session, const DefinitionShowOptions& options);

struct DefinitionSetOptions {
    std::string name;
    std::optional<std::string> priority;
    std::optional<std::string> retry_cycle;
    std::optional<std::string> exclusive;
    std::optional<std::string> override_priority;
    bool cascade = false;
    bool dry_run = false;  ///< Shows the jobs that a cascade would change; nothing is changed.
};

/// `definition set`: what new jobs get.
[[nodiscard]] ExitCode set_definition(Session& session, const DefinitionSetOptions& options);

struct DefinitionRemoveOptions {
    std::vector<std::string> names;
};

/// `definition rm`.
[[nodiscard]] ExitCode remove_definitions(Session& session, const DefinitionRemoveOptions& options);

}  // namespace jobstrand::cli
