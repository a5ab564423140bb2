#include "bench/report/report.hpp"

#include "bench/core/result.hpp"
#include "bench/report/charts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace jobstrand::bench {

namespace {

using Json = nlohmann::ordered_json;

Json read_result(const std::string& path) {
    std::ifstream file(path);
    // Defended catch: the parser's message does not name the file.
    try {
        Json result = Json::parse(file);
        if (result.at("format") != "jobstrand-bench/1") {
            throw std::runtime_error("its format is not jobstrand-bench/1");
        }
        return result;
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("{} is not a result: {}", path, error.what()));
    }
}

std::string text(const Json& object, const char* key) {
    const Json& value = object.at(key);
    return value.is_null() ? "" : value.get<std::string>();
}

/// Empty for null.
std::string number(const Json& object, const char* key) {
    const Json& value = object.at(key);
    return value.is_null() ? "" : shown(value.get<double>());
}

std::string figures_table(const std::vector<Json>& results) {
    std::string table =
        "| Scenario | Database | Figure | Median | Min to max | Unit | Ceiling | Ratio |\n"
        "|---|---|---|---:|---:|---|---:|---:|\n";
    for (const Json& result : results) {
        for (const Json& figure : result.at("figures")) {
            table += fmt::format(
                "| {} | {} | {} | {} | {} to {} | {} | {} | {} |\n",
                text(result, "scenario"),
                text(result.at("environment"), "database"),
                text(figure, "name"),
                number(figure, "median"),
                number(figure, "min"),
                number(figure, "max"),
                text(figure, "unit"),
                number(figure, "ceiling"),
                number(figure, "ratio")
            );
        }
    }
    return table;
}

std::string latencies_table(const std::vector<Json>& results) {
    std::string rows;
    for (const Json& result : results) {
        for (const Json& latency : result.at("latencies")) {
            rows += fmt::format(
                "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                text(result, "scenario"),
                text(result.at("environment"), "database"),
                text(latency, "name"),
                number(latency, "p50"),
                number(latency, "p99"),
                number(latency, "p999"),
                number(latency, "max"),
                number(latency, "count")
            );
        }
    }
    return rows.empty()
               ? ""
               : "\n| Scenario | Database | Milliseconds | p50 | p99 | p99.9 | Max | Count "
                 "|\n|---|---|---|---:|---:|---:|---:|---:|\n" +
                     rows;
}

std::string checks_list(const std::vector<Json>& results) {
    std::string list;
    for (const Json& result : results) {
        for (const Json& check : result.at("checks")) {
            if (!check.at("passed").get<bool>()) {
                list += fmt::format(
                    "- **Failed** in {}: {}: {}\n",
                    text(result, "scenario"),
                    text(check, "name"),
                    text(check, "problem")
                );
            }
        }
    }
    return list.empty() ? "\nAll checks passed: every job succeeded exactly once.\n" : "\n" + list;
}

std::string environments_list(const std::vector<Json>& results) {
    std::string list = "\nMeasured on:\n\n";
    std::string previous;
    for (const Json& result : results) {
        std::string line = "-";
        for (const auto& [name, value] : result.at("environment").items()) {
            if (name != "url") {
                line += fmt::format(" {}: {};", name, value.get<std::string>());
            }
        }
        line.back() = '\n';
        list += line == previous ? "" : line;
        previous = line;
    }
    return list;
}

std::string charts_list(const std::vector<Json>& results, const std::string& directory) {
    std::string list;
    for (const Json& result : results) {
        for (const Json& series : result.at("series")) {
            if (series.at("points").empty()) {
                continue;
            }
            const std::string file = draw_chart(
                {.directory = directory,
                 .title = text(result, "scenario") + ": " + text(series, "name"),
                 .x_unit = text(series, "xUnit"),
                 .y_unit = text(series, "yUnit"),
                 .points = series.at("points").get<std::vector<std::pair<double, double>>>()}
            );
            list += fmt::format("\n![{}]({})\n", text(series, "name"), file);
        }
    }
    return list;
}

}  // namespace

std::string markdown_report(const ReportOptions& options) {
    std::vector<Json> results;
    for (const std::string& file : options.files) {
        results.push_back(read_result(file));
    }
    std::string report = figures_table(results) + latencies_table(results);
    if (!options.charts.empty()) {
        report += charts_list(results, options.charts);
    }
    return report + checks_list(results) + environments_list(results);
}

}  // namespace jobstrand::bench
