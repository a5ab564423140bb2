#pragma once

#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/histogram.hpp"
#include "schema/unique/unique_key.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
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

}  // namespace jobstrand::service
