#pragma once

#include <string>
#include <utility>
#include <vector>

namespace jobstrand::bench {

/// A curve to draw, of one point at least, from left to right.
struct Chart {
    std::string directory;
    std::string title;
    std::string x_unit;
    std::string y_unit;
    std::vector<std::pair<double, double>> points;
};

/// Draws the curve as an SVG file with gnuplot and returns its path; its name is made of the title.
/// Throws std::runtime_error when gnuplot is not installed or fails.
[[nodiscard]] std::string draw_chart(const Chart& chart);

}  // namespace jobstrand::bench
