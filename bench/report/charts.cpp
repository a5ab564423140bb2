#include "bench/report/charts.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cctype>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace jobstrand::bench {

namespace {

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

}  // namespace

std::string draw_chart(const Chart& chart) {
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

}  // namespace jobstrand::bench
