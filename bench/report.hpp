#pragma once

#include <string>
#include <vector>

namespace jobstrand::bench {

struct ReportOptions {
    std::vector<std::string> files = {};
    std::string charts = {};  ///< Directory for SVG files; empty: none are drawn.
};

/// A Markdown document with the figures of all results: a table of rates, one of latencies, the
/// curves, and what they were measured on. Throws std::runtime_error for a file that is no result.
[[nodiscard]] std::string markdown_report(const ReportOptions& options);

}  // namespace jobstrand::bench
