#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace jobstrand::schema {

/// How long things took, finely enough for percentiles, and so that histograms of several nodes and
/// spans can be added: each of 0 to 3 ms has a bucket, and behind them each power of two has four.
/// What took more than 49 days counts as that. Pure.
class TimeHistogram final {
public:
    static constexpr std::size_t kBuckets = 124;

    void add(Duration taken) { add_to(bucket_of(taken), 1); }

    /// A bucket or a count that cannot be is ignored.
    void add_to(std::size_t bucket, std::int64_t count);

    void merge(const TimeHistogram& other);

    /// Returns the percentile in seconds, to a tenth of a millisecond, as if the times of a bucket
    /// were spread evenly between its bounds; nullopt: nothing was added. `share`: 0.95 is longer
    /// than 95 % of them.
    [[nodiscard]] std::optional<double> percentile(double share) const;

    /// Returns as many counts as are needed; all behind them are 0.
    [[nodiscard]] std::span<const std::int64_t> counts() const { return counts_; }

    [[nodiscard]] static std::size_t bucket_of(Duration taken);

    bool operator==(const TimeHistogram&) const = default;

private:
    std::vector<std::int64_t> counts_;
};

}  // namespace jobstrand::schema
