#include "tools/service/http/metrics_text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace jobstrand::service {

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

// Each bucket counts those below it as well.
void MetricsText::values(const schema::DurationHistogram& histogram) {
    using schema::DurationHistogram;
    const auto out = std::back_inserter(text_);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < DurationHistogram::kBoundsS.size(); ++i) {
        sum += histogram.count(i);
        fmt::format_to(
            out, "{}_bucket{{le=\"{}\"}} {}\n", name_, DurationHistogram::kBoundsS.at(i), sum
        );
    }
    sum += histogram.count(DurationHistogram::kBoundsS.size());
    fmt::format_to(out, "{}_bucket{{le=\"+Inf\"}} {}\n", name_, sum);
    fmt::format_to(out, "{}_sum {}\n{}_count {}\n", name_, histogram.sum_s(), name_, sum);
}

}  // namespace jobstrand::service
