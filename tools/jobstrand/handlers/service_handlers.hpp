#pragma once

#include "executor/handler_registry.hpp"
#include "tools/jobstrand/handlers/command_handler.hpp"
#include "tools/jobstrand/settings/settings.hpp"

#include <string>

namespace jobstrand::cli {

/// Registers what the service can run: `noop` (succeeds), `log` (writes its payload as a line of
/// level info) and `command` (see CommandHandler).
void add_service_handlers(
    executor::HandlerRegistry& registry,
    const CommandHandler::Dependencies& use,
    const Commands& commands,
    const std::string& path
);

/// Other programs for `command` jobs, while jobs run: what has begun ends with the ones before.
void replace_commands(
    executor::HandlerRegistry& registry,
    const CommandHandler::Dependencies& use,
    const Commands& commands,
    const std::string& path
);

}  // namespace jobstrand::cli
