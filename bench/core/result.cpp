#include "bench/core/result.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

namespace {

double milliseconds(LatencyHistogram::Nanos duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

double Figure::median() const {
    if (values.empty()) {
        return 0;
    }
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Figure::least() const {
    return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double Figure::most() const {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

std::optional<double> Figure::ratio() const {
    return ceiling && *ceiling > 0 ? std::optional(median() / *ceiling) : std::nullopt;
}

Latency latency(std::string name, const LatencyHistogram& histogram) {
    return {
        .name = std::move(name),
        .count = histogram.count(),
        .p50 = milliseconds(histogram.percentile(50)),
        .p99 = milliseconds(histogram.percentile(99)),
        .p999 = milliseconds(histogram.percentile(99.9)),
        .most = milliseconds(histogram.longest()),
    };
}

bool Result::passed() const {
    return std::all_of(checks.begin(), checks.end(), [](const Check& check) {
        return check.problem.empty();
    });
}

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "jobstrand-bench/1";

/// Six significant digits: more would only be noise.
double rounded(double number) {
    if (number == 0 || !std::isfinite(number)) {
        return 0;
    }
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(number))));
    return std::round(number * scale) / scale;
}

Json json_of(const Facts& facts) {
    Json object = Json::object();
    for (const auto& [name, value] : facts) {
        object[name] = value;
    }
    return object;
}

Json json_of(const Figure& figure) {
    Json values = Json::array();
    for (const double value : figure.values) {
        values.push_back(rounded(value));
    }
    const auto ratio = figure.ratio();
    return {
        {"name", figure.name},
        {"unit", figure.unit},
        {"values", std::move(values)},
        {"median", rounded(figure.median())},
        {"min", rounded(figure.least())},
        {"max", rounded(figure.most())},
        {"ceiling", figure.ceiling ? Json(rounded(*figure.ceiling)) : Json()},
        {"ratio", ratio ? Json(rounded(*ratio)) : Json()},
    };
}

Json json_of(const Latency& latency) {
    return {
        {"name", latency.name},
        {"unit", "ms"},
        {"count", latency.count},
        {"p50", rounded(latency.p50)},
        {"p99", rounded(latency.p99)},
        {"p999", rounded(latency.p999)},
        {"max", rounded(latency.most)},
    };
}

Json json_of(const Series& series) {
    Json points = Json::array();
    for (const auto& [x, y] : series.points) {
        points.push_back({rounded(x), rounded(y)});
    }
    return {
        {"name", series.name},
        {"xUnit", series.x_unit},
        {"yUnit", series.y_unit},
        {"points", std::move(points)},
    };
}

Json json_of(const Check& check) {
    return {{"name", check.name}, {"passed", check.problem.empty()}, {"problem", check.problem}};
}

template <typename Item>
Json json_of(const std::vector<Item>& items) {
    Json array = Json::array();
    for (const Item& item : items) {
        array.push_back(json_of(item));
    }
    return array;
}

}  // namespace

std::string to_json(const Result& result) {
    const Json document{
        {"format", kFormat},
        {"scenario", result.scenario},
        {"startedAt", result.started_at},
        {"passed", result.passed()},
        {"environment", json_of(result.environment)},
        {"settings", json_of(result.settings)},
        {"figures", json_of(result.figures)},
        {"latencies", json_of(result.latencies)},
        {"series", json_of(result.series)},
        {"checks", json_of(result.checks)},
    };
    return document.dump(2) + "\n";
}

namespace {

std::string with_separators(long long number) {
    std::string text = fmt::to_string(number);
    const std::size_t first_digit = number < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > first_digit + 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string lines_of(std::string_view title, const Facts& facts) {
    std::string text = fmt::format("{}\n", title);
    for (const auto& [name, value] : facts) {
        text += fmt::format("  {:<22} {}\n", name, value);
    }
    return text;
}

std::string line_of(const Figure& figure) {
    std::string line =
        fmt::format("  {:<44} {:>12} {:<13}", figure.name, shown(figure.median()), figure.unit);
    if (figure.values.size() > 1) {
        line += fmt::format(" ({} to {})", shown(figure.least()), shown(figure.most()));
    }
    if (const auto ratio = figure.ratio()) {
        line += fmt::format("  {:.2f} of the ceiling {}", *ratio, shown(*figure.ceiling));
    }
    return line + "\n";
}

std::string line_of(const Latency& latency) {
    return fmt::format(
        "  {:<44} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        latency.name,
        shown(latency.p50),
        shown(latency.p99),
        shown(latency.p999),
        shown(latency.most),
        latency.count
    );
}

std::string table_of(const std::vector<Latency>& latencies) {
    std::string text = fmt::format(
        "  {:<44} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        "milliseconds",
        "p50",
        "p99",
        "p99.9",
        "max",
        "count"
    );
    for (const Latency& latency : latencies) {
        text += line_of(latency);
    }
    return text;
}

std::string table_of(const Series& series) {
    std::string text = fmt::format("  {}\n", series.name);
    for (const auto& [x, y] : series.points) {
        text += fmt::format(
            "    {:>14} {:<10} {:>14} {}\n", shown(x), series.x_unit, shown(y), series.y_unit
        );
    }
    return text;
}

}  // namespace

std::string shown(double number) {
    const double size = std::abs(number);
    if (size >= 99.95) {
        return with_separators(std::llround(number));
    }
    return number == std::round(number) ? fmt::format("{:.0f}", number)
                                        : fmt::format("{:.3g}", number);
}

std::string to_table(const Result& result) {
    std::string text = fmt::format("{}, {}\n", result.scenario, result.started_at);
    text += lines_of("environment", result.environment);
    text += lines_of("settings", result.settings);
    text += "figures\n";
    for (const Figure& figure : result.figures) {
        text += line_of(figure);
    }
    if (!result.latencies.empty()) {
        text += table_of(result.latencies);
    }
    for (const Series& series : result.series) {
        text += table_of(series);
    }
    for (const Check& check : result.checks) {
        text += check.problem.empty()
                    ? fmt::format("  passed: {}\n", check.name)
                    : fmt::format("  FAILED: {}: {}\n", check.name, check.problem);
    }
    return text;
}

}  // namespace jobstrand::bench
