#pragma once

#include "deadletter/job_search.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/histogram.hpp"
#include "schema/log.hpp"
#include "schema/unique_key.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/calls/span_counts.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/handlers/place_faults.hpp"
#include "tools/settings/settings.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::service {

/// What has been enqueued over HTTP since the service began. Thread safety: safe.
struct EnqueueCounts {
    std::atomic<std::uint64_t> jobs{0};
    std::atomic<std::uint64_t> transactions{0};
    schema::SizeHistogram sizes;  ///< Jobs of these transactions.

    // What was there already.
    std::atomic<std::uint64_t> held_keys{0};          ///< Jobs whose unique keys others had.
    std::atomic<std::uint64_t> taken_ids{0};          ///< Requests with an id that some job had.
    std::atomic<std::uint64_t> repeated_requests{0};  ///< Whose Idempotency-Key was known.

    /// Those of one transaction, of which only the added ones were enqueued.
    void add(const std::vector<schema::Enqueued>& enqueued) {
        const auto added = std::ranges::count_if(enqueued, &schema::Enqueued::is_added);
        jobs.fetch_add(static_cast<std::uint64_t>(added));
        transactions.fetch_add(1);
        sizes.add(enqueued.size());
        held_keys.fetch_add(enqueued.size() - static_cast<std::uint64_t>(added));
    }

    /// None was enqueued.
    void add_failure(const std::exception& error) {
        if (dynamic_cast<const persistence::KeyHeld*>(&error) != nullptr) {
            held_keys.fetch_add(1);
        }
        const auto* const of_database = dynamic_cast<const persistence::DbError*>(&error);
        if (of_database != nullptr &&
            of_database->kind() == persistence::DbErrorKind::duplicate_key) {
            taken_ids.fetch_add(1);
        }
    }
};

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
