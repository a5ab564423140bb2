#include "bench/report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace jobstrand::bench {

namespace {

/// Letters and digits of the title, the rest as dashes: safe in a file name and in a script.
std::string file_name_of(const std::string& title) {
    std::string name = title;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '-';
    });
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

std::string script_for(const Chart& chart, const std::string& file) {
    std::string script = fmt::format(
        "set terminal svg size 800,400\nset output {}\nset title {} noenhanced\n"
        "set xlabel {} noenhanced\nset ylabel {} noenhanced\nset yrange [0:*]\nset grid\nunset "
        "key\n"
        "plot '-' with linespoints\n",
        quoted(file),
        quoted(chart.title),
        quoted(chart.x_unit),
        quoted(chart.y_unit)
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
    std::FILE* const gnuplot = popen("gnuplot", "w");
    const bool is_sent = gnuplot != nullptr &&
                         std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
    if (gnuplot == nullptr || pclose(gnuplot) != 0 || !is_sent) {
        throw std::runtime_error("no chart: is gnuplot installed? (apt-get install gnuplot-nox)");
    }
    return file;
}

}  // namespace jobstrand::bench
