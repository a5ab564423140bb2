#pragma once

#include "bench/core/latency_histogram.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::bench {

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
