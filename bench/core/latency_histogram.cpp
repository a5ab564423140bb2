#include "bench/core/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace jobstrand::bench {

namespace {

void raise_to(std::atomic<std::int64_t>& highest, std::int64_t value) noexcept {
    std::int64_t seen = highest.load();
    while (seen < value && !highest.compare_exchange_weak(seen, value)) {
    }
}

}  // namespace

void LatencyHistogram::add(Nanos duration) noexcept {
    const std::int64_t nanos = std::max<std::int64_t>(duration.count(), 0);
    ++buckets_[bucket_of(static_cast<std::uint64_t>(nanos))];
    raise_to(longest_, nanos);
}

void LatencyHistogram::add_all_of(const LatencyHistogram& other) noexcept {
    for (std::size_t i = 0; i < kBuckets; ++i) {
        buckets_[i] += other.buckets_[i];
    }
    raise_to(longest_, other.longest_);
}

std::uint64_t LatencyHistogram::count() const noexcept {
    std::uint64_t count = 0;
    for (const auto& bucket : buckets_) {
        count += bucket;
    }
    return count;
}

LatencyHistogram::Nanos LatencyHistogram::percentile(double percent) const noexcept {
    const double wanted = std::ceil(percent / 100 * static_cast<double>(count()));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        seen += buckets_[i];
        if (seen > 0 && static_cast<double>(seen) >= wanted) {
            return std::min(Nanos(upper_end_of(i)), longest());
        }
    }
    return Nanos{0};
}

// Values below 2^kSubBits have a bucket each; above, the leading bit gives the group and the next
// kSubBits bits the place within it.
std::size_t LatencyHistogram::bucket_of(std::uint64_t nanos) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(nanos));
    if (width <= kSubBits) {
        return nanos;
    }
    const unsigned shift = width - kSubBits - 1;
    return ((shift + std::size_t{1}) << kSubBits) + ((nanos >> shift) & ((1U << kSubBits) - 1));
}

std::uint64_t LatencyHistogram::upper_end_of(std::size_t bucket) noexcept {
    const std::size_t group = bucket >> kSubBits;
    const std::uint64_t place = bucket & ((1U << kSubBits) - 1);
    if (group == 0) {
        return place;
    }
    const auto shift = static_cast<unsigned>(group - 1);
    return (((std::uint64_t{1} << kSubBits) + place + 1) << shift) - 1;
}

}  // namespace jobstrand::bench
