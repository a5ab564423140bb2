#pragma once

#include <atomic>
#include <cstdint>

namespace jobstrand::service {

/// What has been enqueued over HTTP since the service began. Thread safety: safe.
struct EnqueueCounts {
    std::atomic<std::uint64_t> jobs{0};
    std::atomic<std::uint64_t> transactions{0};

    void add(std::uint64_t of_one_transaction) {
        jobs.fetch_add(of_one_transaction);
        transactions.fetch_add(1);
    }
};

}  // namespace jobstrand::service
