#include "bench/core/result.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace jobstrand::bench {

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

}  // namespace jobstrand::bench
