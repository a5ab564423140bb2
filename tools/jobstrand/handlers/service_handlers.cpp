#include "tools/jobstrand/handlers/service_handlers.hpp"

namespace jobstrand::cli {

namespace {

[[nodiscard]] executor::HandlerResult succeed(const executor::JobContext&) {
    return executor::Succeeded{};
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
    registry.add("command", CommandHandler(use, commands, path));
}

}  // namespace jobstrand::cli
