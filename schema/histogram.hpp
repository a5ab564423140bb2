#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jobstrand::schema {

/// How long things took, as a Prometheus histogram counts them.
///
/// Thread safety: safe.
class DurationHistogram final {
public:
    /// Upper bounds of the buckets, inclusive; the last bucket, behind them, has none.
    static constexpr std::array<double, 14>
        kBoundsS{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 120, 600, 3600};

    void add(std::chrono::steady_clock::duration taken) {
        const double seconds = std::chrono::duration<double>(taken).count();
        std::size_t bucket = 0;
        while (bucket < kBoundsS.size() && seconds > kBoundsS.at(bucket)) {
            ++bucket;
        }
        buckets_.at(bucket).fetch_add(1, std::memory_order_relaxed);
        sum_ns_.fetch_add(
            static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count()
            ),
            std::memory_order_relaxed
        );
    }

    /// How many fell into a bucket itself, not into those below it.
    [[nodiscard]] std::uint64_t count(std::size_t bucket) const {
        return buckets_.at(bucket).load(std::memory_order_relaxed);
    }

    /// How many there are.
    [[nodiscard]] std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
            sum += count(bucket);
        }
        return sum;
    }

    [[nodiscard]] double sum_s() const {
        return static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) / 1e9;
    }

private:
    std::array<std::atomic<std::uint64_t>, kBoundsS.size() + 1> buckets_{};
    std::atomic<std::uint64_t> sum_ns_{0};
};

/// How large batches were, as a Prometheus histogram counts them.
///
/// Thread safety: safe.
class SizeHistogram final {
public:
    /// Upper bounds of the buckets, inclusive; the last bucket, behind them, has none.
    static constexpr std::array<std::uint64_t, 10>
        kBounds{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

    void add(std::uint64_t size) {
        std::size_t bucket = 0;
        while (bucket < kBounds.size() && size > kBounds.at(bucket)) {
            ++bucket;
        }
        buckets_.at(bucket).fetch_add(1, std::memory_order_relaxed);
        sum_.fetch_add(size, std::memory_order_relaxed);
    }

    /// How many fell into a bucket itself, not into those below it.
    [[nodiscard]] std::uint64_t count(std::size_t bucket) const {
        return buckets_.at(bucket).load(std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t sum() const { return sum_.load(std::memory_order_relaxed); }

private:
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets_{};
    std::atomic<std::uint64_t> sum_{0};
};

}  // namespace jobstrand::schema
