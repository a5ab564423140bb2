#include "tools/jobstrand/handlers/service_handlers.hpp"

#include "tools/jobstrand/handlers/command_payload.hpp"

#include <utility>

namespace jobstrand::cli {

namespace {

constexpr const char* kCommand = "command";

[[nodiscard]] executor::HandlerResult succeed(const executor::JobContext&) {
    return executor::Succeeded{};
}

[[nodiscard]] executor::HandlerRegistry::Needs needs_of(const Commands& commands) {
    executor::HandlerRegistry::Needs needs{
        .of = [](const schema::Job& job) { return need_of_command(job.payload); }, .here = {}};
    for (const auto& [name, command] : commands) {
        needs.here.push_back(need_named(name));
    }
    return needs;
}

}  // namespace

void add_service_handlers(
    executor::HandlerRegistry& registry,
    const CommandHandler::Dependencies& use,
    const Commands& commands,
    const std::string& path
) {
    registry.add("noop", succeed);
    registry.add(
        "log",
        [&log = use.log](const executor::JobContext& context) -> executor::HandlerResult {
            log.write(
                schema::LogLevel::info,
                "log job",
                {{"id", context.job.id}, {"payload", context.job.payload}}
            );
            return executor::Succeeded{};
        }
    );
    registry.add(kCommand, CommandHandler(use, commands, path), needs_of(commands));
}

void replace_commands(
    executor::HandlerRegistry& registry,
    const CommandHandler::Dependencies& use,
    const Commands& commands,
    const std::string& path
) {
    registry.replace(kCommand, CommandHandler(use, commands, path), needs_of(commands));
}

}  // namespace jobstrand::cli
