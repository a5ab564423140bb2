#include "schema/throughput/time_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace jobstrand::schema {

namespace {

/// Buckets of a power of two, and the milliseconds that have one each.
constexpr std::size_t kPerPower = 4;

/// In milliseconds, the first that the bucket does not hold any more is that of the next one.
[[nodiscard]] double begin_of(std::size_t bucket) {
    if (bucket < kPerPower) {
        return static_cast<double>(bucket);
    }
    const std::size_t power = bucket / kPerPower - 1;
    const std::uint64_t step = std::uint64_t{1} << power;
    return static_cast<double>((kPerPower + bucket % kPerPower) * step);
}

}  // namespace

std::size_t TimeHistogram::bucket_of(Duration taken) {
    constexpr Duration::rep kMost = std::numeric_limits<std::uint32_t>::max();
    const auto ms = static_cast<std::uint32_t>(std::clamp<Duration::rep>(taken.count(), 0, kMost));
    if (ms < kPerPower) {
        return ms;
    }
    const auto power = static_cast<std::size_t>(std::bit_width(ms)) - 3;
    return (power + 1) * kPerPower + ((ms >> power) % kPerPower);
}

void TimeHistogram::add_to(std::size_t bucket, std::int64_t count) {
    if (bucket >= kBuckets || count <= 0) {
        return;
    }
    if (counts_.size() <= bucket) {
        counts_.resize(bucket + 1);
    }
    counts_[bucket] += count;
}

void TimeHistogram::merge(const TimeHistogram& other) {
    for (std::size_t bucket = 0; bucket < other.counts_.size(); ++bucket) {
        add_to(bucket, other.counts_[bucket]);
    }
}

std::optional<double> TimeHistogram::percentile(double share) const {
    std::int64_t total = 0;
    for (const std::int64_t count : counts_) {
        total += count;
    }
    if (total <= 0) {
        return std::nullopt;
    }
    double left = share * static_cast<double>(total);
    std::size_t bucket = 0;
    const auto is_behind = [&] {
        return counts_[bucket] == 0 || left > static_cast<double>(counts_[bucket]);
    };
    while (bucket + 1 < counts_.size() && is_behind()) {
        left -= static_cast<double>(counts_[bucket]);
        ++bucket;
    }
    const double within = std::min(1.0, left / static_cast<double>(counts_[bucket]));
    const double begin = begin_of(bucket);
    const double ms = begin + within * (begin_of(bucket + 1) - begin);
    return std::round(10 * ms) / 10'000;
}

}  // namespace jobstrand::schema
