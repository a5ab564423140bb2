#include "tools/service/metrics/metrics_text.hpp"

#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <iterator>

namespace jobstrand::service {

namespace {

constexpr std::size_t kLabelLength = 255;

// Each bucket counts those below it as well.
void append_buckets(
    std::string& text,
    std::string_view name,
    const auto& bounds,
    const auto& histogram,
    auto total
) {
    const auto out = std::back_inserter(text);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        sum += histogram.count(i);
        fmt::format_to(out, "{}_bucket{{le=\"{}\"}} {}\n", name, bounds.at(i), sum);
    }
    sum += histogram.count(bounds.size());
    fmt::format_to(out, "{}_bucket{{le=\"+Inf\"}} {}\n", name, sum);
    fmt::format_to(out, "{}_sum {}\n{}_count {}\n", name, total, name, sum);
}

}  // namespace

void MetricsText::begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void MetricsText::value(std::uint64_t number, std::string_view labels) {
    const auto out = std::back_inserter(text_);
    if (labels.empty()) {
        fmt::format_to(out, "{} {}\n", name_, number);
    } else {
        fmt::format_to(out, "{}{{{}}} {}\n", name_, labels, number);
    }
}

void MetricsText::value(double number, std::string_view labels) {
    const auto out = std::back_inserter(text_);
    if (labels.empty()) {
        fmt::format_to(out, "{} {}\n", name_, number);
    } else {
        fmt::format_to(out, "{}{{{}}} {}\n", name_, labels, number);
    }
}

void MetricsText::values(const schema::DurationHistogram& histogram) {
    append_buckets(text_, name_, schema::DurationHistogram::kBoundsS, histogram, histogram.sum_s());
}

void MetricsText::values(const schema::SizeHistogram& histogram) {
    append_buckets(text_, name_, schema::SizeHistogram::kBounds, histogram, histogram.sum());
}

std::string label(std::string_view name, std::string_view value) {
    std::string text = fmt::format("{}=\"", name);
    for (const char c : schema::first_characters(value, kLabelLength)) {
        if (c == '\n') {
            text += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') {
            text += '\\';
        }
        text += c;
    }
    return text += '"';
}

}  // namespace jobstrand::service
