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

/// An engine that is not started, with the service's handlers. Throws as engine::Wiring does.
[[nodiscard]] std::unique_ptr<engine::Wiring> open_engine(
    const std::string& database_url,
    const Settings& settings,
    OpenFor purpose,
    const EngineSurroundings& around
);

}  // namespace jobstrand::cli
