#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jobstrand::schema {

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
