#pragma once

#include "schema/time.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace jobstrand::bench {

/// Who ran how often: every benchmark keeps one and fails unless each job succeeded exactly once.
/// A job's number in the ledger is its payload.
///
/// Thread safety: safe.
class RunLedger final {
public:
    explicit RunLedger(std::size_t jobs) : successes_(jobs) {}

    /// The payload of a job with this number, filled up to so many bytes.
    [[nodiscard]] static std::string payload_of(std::size_t number, std::size_t bytes = 0);

    /// The number in a payload; a payload that is not ours counts as a job that nobody enqueued.
    [[nodiscard]] std::size_t number_of(const std::string& payload) noexcept;

    /// The job with this number has succeeded.
    void succeeded(std::size_t number) noexcept;

    [[nodiscard]] std::size_t count() const noexcept { return total_; }

    /// When the first success was counted.
    [[nodiscard]] std::chrono::steady_clock::time_point first() const { return first_; }

    /// Waits until `count` successes were counted; false: not within the limit.
    [[nodiscard]] bool wait_for(std::size_t count, schema::Duration limit);

    /// What is wrong, in words; empty: every one of the first `jobs` jobs succeeded exactly once.
    [[nodiscard]] std::string mistakes(std::size_t jobs) const;

private:
    std::vector<std::atomic<std::uint8_t>> successes_;
    std::atomic<std::size_t> total_{0};
    std::atomic<std::size_t> unknown_{0};
    std::atomic<std::size_t> awaited_{SIZE_MAX};  ///< The total that somebody waits for.
    std::atomic<std::chrono::steady_clock::time_point> first_{};

    std::mutex mutex_;
    std::condition_variable reached_;
};

}  // namespace jobstrand::bench
