#include "bench/core/result.hpp"

#include <fmt/format.h>

#include <cmath>

namespace jobstrand::bench {

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
