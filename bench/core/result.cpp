#include "bench/core/result.hpp"

#include <algorithm>

namespace jobstrand::bench {

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

}  // namespace jobstrand::bench
