#pragma once

#include "schema/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// What was run within a span of time.
struct RunSums {
    std::int64_t begun = 0;      ///< Jobs whose first attempt began.
    std::int64_t completed = 0;  ///< Attempts that succeeded.
    std::int64_t failed = 0;     ///< Attempts that failed.
    std::int64_t dead = 0;       ///< Jobs that became dead letters.
    TimeHistogram waited = {};   ///< From when a job could run until an attempt of it began.
    TimeHistogram ran = {};      ///< From there until it ended.

    void merge(const RunSums& other);

    bool operator==(const RunSums&) const = default;
};

/// Sums by handler type. The number of types has a bound: those behind it count as one, which has
/// no name. Pure.
class Throughput final {
public:
    using Types = std::map<std::string, RunSums, std::less<>>;

    static constexpr std::size_t kMostTypes = 100;

    explicit Throughput(std::size_t most_types = kMostTypes) : most_types_(most_types) {}

    /// Returns the sums of a type; the reference stays valid.
    [[nodiscard]] RunSums& of(std::string_view type);

    void merge(const Throughput& other);

    [[nodiscard]] const Types& types() const { return types_; }
    [[nodiscard]] bool is_empty() const { return types_.empty(); }

private:
    std::size_t most_types_;
    Types types_;
};

/// What was run within a span that begins at a multiple of its length.
struct ThroughputSpan {
    Duration length{};
    TimePoint at{};
    Throughput counts = Throughput();
};

// The spans that nodes write down, and for how long these are kept.
inline constexpr Duration kShortSpan = std::chrono::seconds(1);
inline constexpr Duration kLongSpan = std::chrono::minutes(1);
inline constexpr Duration kShortSpansLast = std::chrono::minutes(15);
inline constexpr Duration kLongSpansLast = std::chrono::hours(25);

/// Returns the text that is stored: a line with the version, and one for each type.
[[nodiscard]] std::string text_of(const Throughput& throughput);

/// nullopt: another version has written it. Lines that cannot be read are left out.
[[nodiscard]] std::optional<Throughput> parse_throughput(std::string_view text);

}  // namespace jobstrand::schema
