#include "tools/session/service_handlers.hpp"

#include "tools/handlers/command_handler.hpp"
#include "tools/handlers/flowable_handler.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/handlers/http_handler.hpp"
#include "tools/handlers/operator_jobs.hpp"

#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand::cli {

namespace {

using Needs = executor::HandlerRegistry::Needs;

constexpr const char* kCommand = "command";
constexpr const char* kHttp = "http";

[[nodiscard]] executor::HandlerResult succeed(const executor::JobContext&) {
    return executor::Succeeded{};
}

[[nodiscard]] executor::JobHandler
command_handler(const HandlerSurroundings& around, const Settings& settings) {
    return CommandHandler(
        {.clock = around.clock,
         .log = around.log,
         .guardian = around.guardian,
         .counts = around.counts},
        settings.commands,
        around.path
    );
}

/// What a node knows that it cannot run it does not take.
[[nodiscard]] Needs needs_of(const Commands& commands) {
    Needs needs{
        .of = [](const schema::Job& job) { return need_of_command(job.payload); }, .here = {}};
    for (const auto& [name, command] : commands) {
        if (obstacles_to_command(name, command).empty()) {
            needs.here.push_back(need_named(name));
        }
    }
    return needs;
}

[[nodiscard]] executor::AsyncJobHandler
http_handler(const HandlerSurroundings& around, const Settings& settings) {
    return HttpHandler(
        {.clock = around.clock,
         .client = around.http_client,
         .log = around.log,
         .counts = around.counts},
        settings.targets
    );
}

[[nodiscard]] Needs needs_of(const Targets& targets) {
    Needs needs{.of = [](const schema::Job& job) { return need_of_http(job.payload); }, .here = {}};
    for (const auto& [name, target] : targets) {
        if (!obstacle_to_target(name, target)) {
            needs.here.push_back(need_of_target(name));
        }
    }
    return needs;
}

void add_flowable_handlers(
    executor::HandlerRegistry& registry,
    const HandlerSurroundings& around,
    const Settings& settings
) {
    // Defended catch: a node that cannot call the engines leaves their jobs to others (I7).
    try {
        const FlowableHandler handler(
            {.clock = around.clock,
             .log = around.log,
             .client = around.http_client,
             .jobs = around.jobs,
             .instances = around.instances},
            settings.flowable
        );
        for (const std::string& type : flowable_types(settings.flowable)) {
            registry.add_async(type, handler, flowable_needs());
        }
    } catch (const std::runtime_error& error) {
        around.log.write(
            schema::LogLevel::error,
            "jobs of Flowable engines are not taken",
            {{"error", error.what()}}
        );
    }
}

}  // namespace

void add_service_handlers(
    executor::HandlerRegistry& registry,
    const HandlerSurroundings& around,
    const Settings& settings
) {
    registry.add("noop", succeed);
    registry.add(
        "log",
        [&log = around.log](const executor::JobContext& context) -> executor::HandlerResult {
            log.write(
                schema::LogLevel::info,
                "log job",
                {{"id", context.job.id}, {"payload", context.job.payload}}
            );
            return executor::Succeeded{};
        }
    );
    registry.add(std::string(kSuspensionType), suspension_handler(around.store, around.clock));
    registry.add(std::string(kBatchType), batch_handler(around.batches, around.clock));
    registry.add(kCommand, command_handler(around, settings), needs_of(settings.commands));
    registry.add_async(kHttp, http_handler(around, settings), needs_of(settings.targets));
    if (!settings.flowable.engines.empty()) {
        add_flowable_handlers(registry, around, settings);
    }
}

void replace_configured_handlers(
    executor::HandlerRegistry& registry,
    const HandlerSurroundings& around,
    const Settings& settings
) {
    registry.replace(kCommand, command_handler(around, settings), needs_of(settings.commands));
    registry.replace(kHttp, http_handler(around, settings), needs_of(settings.targets));
}

std::vector<std::string> obstacles_to_handlers(const Settings& settings) {
    std::vector<std::string> obstacles = obstacles_to_commands(settings.commands);
    std::vector<std::string> of_targets = obstacles_to_targets(settings.targets);
    obstacles.insert(
        obstacles.end(),
        std::make_move_iterator(of_targets.begin()),
        std::make_move_iterator(of_targets.end())
    );
    if (!settings.flowable.engines.empty()) {
        for (std::string& obstacle : obstacles_to_engines(settings.flowable)) {
            obstacles.push_back(std::move(obstacle));
        }
    }
    return obstacles;
}

}  // namespace jobstrand::cli
