#pragma once

#include "deadletter/admin/job_search.hpp"
#include "schema/log.hpp"
#include "tools/access/scope.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/handlers/handler_counts.hpp"
#include "tools/service/api/enqueue_counts.hpp"
#include "tools/settings/settings.hpp"
#include "tools/tracing/span_counts.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::service {

class EngineSet;

/// Where an engine of this process answers HTTP.
struct EngineAddress {
    std::string name;  ///< As tokens name it.
    std::uint16_t port = 0;
};

/// What the paths of the API work with; all of it outlives them and is safe to use from any thread.
struct ApiParts {
    engine::Wiring& engine;
    const cli::Settings& settings;
    schema::Log& log;
    const cli::SpanCounts* spans = nullptr;                         ///< nullptr: none are sent.
    const cli::HandlerCounts* handlers = nullptr;                   ///< nullptr: nobody counts.
    const std::atomic<std::uint64_t>* dropped_log_lines = nullptr;  ///< nullptr: none is dropped.
    std::string engine_name = std::string(kFirstEngine);            ///< As tokens name it.
    std::vector<EngineAddress> engines = {};  ///< All that answer HTTP, this one among them.
    EngineSet* set = nullptr;                 ///< That it is one of; nullptr: it stands alone.
    std::shared_ptr<EnqueueCounts> enqueued = std::make_shared<EnqueueCounts>();

    /// What all places held when they were counted last, which is done anew when that is long ago;
    /// empty: nobody knows. null: nobody counts.
    std::function<std::vector<deadletter::PlaceCount>()> last_counts = {};
};

}  // namespace jobstrand::service
