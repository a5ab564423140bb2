#include "tools/session/open_engine.hpp"

#include "executor/job_handler.hpp"
#include "tools/calls/http_client.hpp"
#include "tools/calls/span_exporter.hpp"
#include "tools/handlers/command_handler.hpp"
#include "tools/handlers/flowable_handler.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/handlers/http_handler.hpp"
#include "tools/handlers/operator_jobs.hpp"
#include "tools/text/joined.hpp"

#include <jobstrand/engine_of.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::cli {

namespace {

using Needs = executor::HandlerRegistry::Needs;

constexpr const char* kCommand = "command";
constexpr const char* kHttp = "http";

[[nodiscard]] executor::HandlerResult succeed(const executor::JobContext&) {
    return executor::Succeeded{};
}

[[nodiscard]] executor::JobHandler command_handler(
    const engine::Wiring& engine,
    const EngineSurroundings& around,
    const Settings& settings
) {
    return CommandHandler(
        {.clock = engine.clock(),
         .log = around.log,
         .guardian = around.guardian,
         .counts = around.handler_counts},
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

[[nodiscard]] executor::AsyncJobHandler http_handler(
    const engine::Wiring& engine,
    const EngineSurroundings& around,
    const Settings& settings
) {
    return HttpHandler(
        {.clock = engine.clock(),
         .client = around.http_client,
         .log = around.log,
         .counts = around.handler_counts},
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
    engine::Wiring& engine,
    const EngineSurroundings& around,
    const Settings& settings
) {
    // Defended catch: a node that cannot call the engines leaves their jobs to others (I7).
    try {
        const FlowableHandler handler(
            {.clock = engine.clock(),
             .log = around.log,
             .client = around.http_client,
             .jobs = engine.executor_store(),
             .instances = engine.engine_store()},
            settings.flowable
        );
        for (const std::string& type : flowable_types(settings.flowable)) {
            engine.handlers().add_async(type, handler, flowable_needs());
        }
    } catch (const std::runtime_error& error) {
        around.log.write(
            schema::LogLevel::error,
            "jobs of Flowable engines are not taken",
            {{"error", error.what()}}
        );
    }
}

void add_service_handlers(
    engine::Wiring& engine,
    const EngineSurroundings& around,
    const Settings& settings
) {
    executor::HandlerRegistry& registry = engine.handlers();
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
    registry.add(std::string(kSuspensionType), suspension_handler(engine.store(), engine.clock()));
    registry.add(std::string(kBatchType), batch_handler(engine.batch_store(), engine.clock()));
    registry.add(kCommand, command_handler(engine, around, settings), needs_of(settings.commands));
    registry.add_async(kHttp, http_handler(engine, around, settings), needs_of(settings.targets));
    if (!settings.flowable.engines.empty()) {
        add_flowable_handlers(engine, around, settings);
    }
}

}  // namespace

std::unique_ptr<engine::Wiring> open_engine(
    const std::string& database_url,
    const Settings& settings,
    OpenFor purpose,
    const EngineSurroundings& around
) {
    const bool is_service = purpose == OpenFor::service;
    engine::WiringOptions options{
        .database_url = database_url,
        .executor = settings.executor,
        .update_schema = is_service && settings.update_schema,
        .create_database = is_service && settings.create_database,
        .threads = around.threads,
        .definitions = settings.definitions,
        .policies = settings.policies,
    };
    if (around.spans != nullptr) {
        options.on_run = [spans = around.spans](const executor::WatchedRun& run) {
            spans->add(run);
        };
    }
    auto engine = std::make_unique<engine::Wiring>(std::move(options), around.clock, around.log);
    if (std::ranges::count(settings.spread_over, around.engine_name) > 0) {
        // A job that has nothing but its id belongs to where that was made.
        engine->ids()->keep_to([names = settings.spread_over,
                                name = around.engine_name](std::string_view id) {
            return engine_of(id, names) == name;
        });
    }
    add_service_handlers(*engine, around, settings);
    return engine;
}

void replace_configured_handlers(
    engine::Wiring& engine,
    const EngineSurroundings& around,
    const Settings& settings
) {
    executor::HandlerRegistry& registry = engine.handlers();
    registry.replace(
        kCommand, command_handler(engine, around, settings), needs_of(settings.commands)
    );
    registry.replace(kHttp, http_handler(engine, around, settings), needs_of(settings.targets));
}

std::vector<std::string> obstacles_to_handlers(const Settings& settings) {
    const bool has_engines = !settings.flowable.engines.empty();
    return joined(
        obstacles_to_commands(settings.commands),
        obstacles_to_targets(settings.targets),
        has_engines ? obstacles_to_engines(settings.flowable) : std::vector<std::string>()
    );
}

}  // namespace jobstrand::cli
