#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::bench {

/// Counts durations in buckets that are at most 1/128 of their value wide, so that a percentile is
/// right within 0.8 %, in constant memory, however many there are.
///
/// Thread safety: safe; adding is one atomic increment and disturbs what is measured little.
class LatencyHistogram final {
public:
    using Nanos = std::chrono::nanoseconds;

    /// A negative duration (clocks of two threads may differ by nanoseconds) counts as zero.
    void add(Nanos duration) noexcept;

    void add_all_of(const LatencyHistogram& other) noexcept;

    [[nodiscard]] std::uint64_t count() const noexcept;

    /// The smallest duration that `percent` of all are not above; zero when there are none.
    [[nodiscard]] Nanos percentile(double percent) const noexcept;

    /// Exact.
    [[nodiscard]] Nanos longest() const noexcept { return Nanos(longest_.load()); }

private:
    static constexpr unsigned kSubBits = 7;
    static constexpr std::size_t kBuckets = (64 - kSubBits + 1) << kSubBits;

    [[nodiscard]] static std::size_t bucket_of(std::uint64_t nanos) noexcept;
    [[nodiscard]] static std::uint64_t upper_end_of(std::size_t bucket) noexcept;

    std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
    std::atomic<std::int64_t> longest_{0};
};

/// One measured number, once per repetition.
struct Figure {
    std::string name;
    std::string unit;            ///< `jobs/s`, `statements/s`, `ms`, ...
    std::vector<double> values;  ///< In the order of the repetitions.
    /// What raw SQL reached in the same run, in the same unit.
    std::optional<double> ceiling = {};

    [[nodiscard]] double median() const;
    [[nodiscard]] double least() const;
    [[nodiscard]] double most() const;

    /// The median against the ceiling; nullopt: there is none.
    [[nodiscard]] std::optional<double> ratio() const;
};

/// How long something took, over all repetitions; in milliseconds.
struct Latency {
    std::string name;
    std::uint64_t count = 0;
    double p50 = 0;
    double p99 = 0;
    double p999 = 0;
    double most = 0;
};

[[nodiscard]] Latency latency(std::string name, const LatencyHistogram& histogram);

/// How a number went over time, or over a setting: a curve.
struct Series {
    std::string name;
    std::string x_unit;
    std::string y_unit;
    std::vector<std::pair<double, double>> points = {};
};

/// What had to be true; one that is not makes the program fail.
struct Check {
    std::string name;
    std::string problem;  ///< Empty: it is true.
};

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Everything that one run of a scenario has found out. See bench/README.md for its JSON.
struct Result {
    std::string scenario;
    std::string started_at;  ///< ISO 8601, UTC.
    Facts environment = {};  ///< Machine, build, database: what makes figures comparable.
    Facts settings = {};     ///< What the run was told.
    std::vector<Figure> figures = {};
    std::vector<Latency> latencies = {};
    std::vector<Series> series = {};
    std::vector<Check> checks = {};

    [[nodiscard]] bool passed() const;
};

/// The document that bench/README.md describes, with a newline at its end.
[[nodiscard]] std::string to_json(const Result& result);

/// For people.
[[nodiscard]] std::string to_table(const Result& result);

/// A number with as many decimals as it deserves, and separators between thousands: `0.0123`,
/// `18.4`, `153,020`.
[[nodiscard]] std::string shown(double number);

}  // namespace jobstrand::bench
