#include "bench/report.hpp"

#include "bench/core/result.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include <cctype>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::bench {

namespace {

/// A curve to draw, of one point at least, from left to right.
struct Chart {
    std::string directory;
    std::string title;
    std::string x_unit;
    std::string y_unit;
    std::vector<std::pair<double, double>> points;
};

/// What the shell answers when there is no such program.
constexpr int kNoSuchCommand = 127;

/// More than this and the marks would hide the line.
constexpr std::size_t kMostMarks = 60;

/// From this ratio of the last to the first point on, the first ones would be too close to each
/// other to be told apart.
constexpr double kWideRange = 50;

/// Letters and digits of the title, single dashes between them: safe in a file name and a script.
std::string file_name_of(const std::string& title) {
    std::string name;
    for (const char c : title) {
        const int letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) != 0) {
            name += static_cast<char>(std::tolower(letter));
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
    }
    return name + ".svg";
}

/// A text in a gnuplot script: in single quotes nothing is special but the quote itself.
std::string quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return quoted + "'";
}

/// The first and the last point are the least and the greatest: curves go over time or a setting.
bool needs_logarithm(const Chart& chart) {
    const double first = chart.points.front().first;
    return first > 0 && chart.points.back().first / first >= kWideRange;
}

std::string script_for(const Chart& chart, const std::string& file) {
    std::string script = fmt::format(
        R"(set terminal svg size 800,400 font 'sans-serif,13' background rgb 'white'
set output {}
set title {} noenhanced
set xlabel {} noenhanced
set ylabel {} noenhanced
set yrange [0:*]
set border 3
set tics nomirror
set grid linetype 1 linecolor rgb '#dddddd'
unset key
{}
plot '-' with {} linewidth 2 linecolor rgb '#1f5fa8' {}
)",
        quoted(file),
        quoted(chart.title),
        quoted(chart.x_unit),
        quoted(chart.y_unit),
        needs_logarithm(chart) ? "set logscale x" : "set xrange [0:*]",
        chart.points.size() <= kMostMarks ? "linespoints" : "lines",
        chart.points.size() <= kMostMarks ? "pointtype 7 pointsize 0.5" : ""
    );
    for (const auto& [x, y] : chart.points) {
        script += fmt::format("{} {}\n", x, y);
    }
    return script + "e\n";
}

/// Draws the curve as an SVG file with gnuplot and returns its path; its name is made of the title.
/// Throws std::runtime_error when gnuplot is not installed or fails.
[[nodiscard]] std::string draw_chart(const Chart& chart) {
    const std::string file =
        (std::filesystem::path(chart.directory) / file_name_of(chart.title)).string();
    const std::string script = script_for(chart, file);
    // Without gnuplot the shell at the other end is gone before it has read anything.
    std::signal(SIGPIPE, SIG_IGN);
    std::FILE* const gnuplot = popen("gnuplot >/dev/null", "w");
    const bool is_sent = gnuplot != nullptr &&
                         std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
    const int status = gnuplot == nullptr ? -1 : pclose(gnuplot);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchCommand) {
        throw std::runtime_error("no chart: gnuplot is not installed (apt-get install gnuplot-nox)"
        );
    }
    if (status != 0 || !is_sent) {
        throw std::runtime_error(fmt::format("no chart: gnuplot could not write {}", file));
    }
    return file;
}

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
