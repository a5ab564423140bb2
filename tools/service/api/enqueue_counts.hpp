#pragma once

#include "schema/unique/unique_key.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace jobstrand::service {

/// What has been enqueued over HTTP since the service began. Thread safety: safe.
struct EnqueueCounts {
    std::atomic<std::uint64_t> jobs{0};
    std::atomic<std::uint64_t> transactions{0};

    /// Those of one transaction, of which only the added ones count.
    void add(const std::vector<schema::Enqueued>& enqueued) {
        const auto added = std::ranges::count_if(enqueued, &schema::Enqueued::is_added);
        jobs.fetch_add(static_cast<std::uint64_t>(added));
        transactions.fetch_add(1);
    }
};

}  // namespace jobstrand::service
