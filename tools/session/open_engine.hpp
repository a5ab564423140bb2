#pragma once

#include "executor/pool/shared_threads.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/handlers/guardian.hpp"
#include "tools/handlers/place_faults.hpp"
#include "tools/settings/settings.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::cli {

class HttpClient;
class SpanExporter;

/// Who opens the database.
enum class OpenFor {
    command,  ///< What is there must fit.
    service,  ///< Makes what the settings allow it to make.
};

/// What an engine of this program needs beside its settings. It must outlive the engine.
struct EngineSurroundings {
    const schema::Clock& clock;
    schema::Log& log;
    Guardian& guardian;
    HttpClient& http_client;
    std::string path;                         ///< PATH, for the programs that it runs.
    HandlerCounts* handler_counts = nullptr;  ///< nullptr: nobody watches them.
    std::shared_ptr<executor::SharedThreads> threads = {};
    std::shared_ptr<SpanExporter> spans = {};  ///< nullptr: runs are not watched.
    const std::atomic<std::uint64_t>* dropped_log_lines = nullptr;  ///< nullptr: none is dropped.
    std::string engine_name = {};                                   ///< As tokens name it.
};

/// An engine that is not started, with what the service can run: `noop` (succeeds), `log` (writes
/// its payload as a line of level info), `command` (see CommandHandler), `http` (see HttpHandler),
/// what suspends and activates at a date (see SuspensionOrder), what carries batches out (see
/// operator_jobs.hpp), and the jobs of Flowable engines where the settings name some (see
/// FlowableHandler). Throws as engine::Wiring does.
[[nodiscard]] std::unique_ptr<engine::Wiring> open_engine(
    const std::string& database_url,
    const Settings& settings,
    OpenFor purpose,
    const EngineSurroundings& around
);

/// Goes by other programs and apps while jobs run: what has begun ends with the ones before.
void replace_configured_handlers(
    engine::Wiring& engine,
    const EngineSurroundings& around,
    const Settings& settings
);

/// What keeps this process from running configured commands and calling configured apps, one
/// sentence each; empty: nothing.
[[nodiscard]] std::vector<std::string> obstacles_to_handlers(const Settings& settings);

}  // namespace jobstrand::cli
