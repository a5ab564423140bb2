#pragma once

#include "executor/job_handler.hpp"
#include "persistence/batch_store.hpp"
#include "persistence/engine_store.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "tools/calls/http_client.hpp"
#include "tools/handlers/guardian.hpp"
#include "tools/handlers/place_faults.hpp"
#include "tools/settings/settings.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

/// What the service's handlers need beside their settings. It must outlive them.
struct HandlerSurroundings {
    const schema::Clock& clock;  ///< The database's.
    schema::Log& log;
    Guardian& guardian;       ///< Of the programs.
    HttpClient& http_client;  ///< Calls the apps.
    std::string path;         ///< PATH, for the programs.
    persistence::OperatorStore& store;
    persistence::ExecutorStore& jobs;
    persistence::EngineStore& instances;
    persistence::BatchStore& batches;
    HandlerCounts* counts = nullptr;  ///< nullptr: nobody watches them.
};

/// Registers what the service can run: `noop` (succeeds), `log` (writes its payload as a line of
/// level info), `command` (see CommandHandler), `http` (see HttpHandler), what suspends and
/// activates at a date (see SuspensionOrder), what carries batches out (see operator_jobs.hpp), and
/// the jobs of Flowable engines where the settings name some (see FlowableHandler).
void add_service_handlers(
    executor::HandlerRegistry& registry,
    const HandlerSurroundings& around,
    const Settings& settings
);

/// Goes by other programs and apps while jobs run: what has begun ends with the ones before.
void replace_configured_handlers(
    executor::HandlerRegistry& registry,
    const HandlerSurroundings& around,
    const Settings& settings
);

/// What keeps this process from running configured commands and calling configured apps, one
/// sentence each; empty: nothing.
[[nodiscard]] std::vector<std::string> obstacles_to_handlers(const Settings& settings);

}  // namespace jobstrand::cli
