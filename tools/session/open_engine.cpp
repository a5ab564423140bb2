#include "tools/session/open_engine.hpp"

#include "tools/calls/span_exporter.hpp"
#include "tools/session/service_handlers.hpp"

#include <jobstrand/engine_of.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace jobstrand::cli {

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
    add_service_handlers(
        engine->handlers(),
        {.clock = engine->clock(),
         .log = around.log,
         .guardian = around.guardian,
         .http_client = around.http_client,
         .path = around.path,
         .store = engine->store(),
         .jobs = engine->executor_store(),
         .instances = engine->engine_store(),
         .batches = engine->batch_store(),
         .counts = around.handler_counts},
        settings
    );
    return engine;
}

}  // namespace jobstrand::cli
