#include "tools/service/metrics/metrics_text.hpp"

#include "schema/ensure.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

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

std::string_view name_of(MetricKind kind) {
    switch (kind) {
        case MetricKind::counter:
            return "counter";
        case MetricKind::gauge:
            return "gauge";
        case MetricKind::histogram:
            break;
    }
    return "histogram";
}

void MetricsText::begin(const MetricHead& head) {
    head_ = &head;
    is_head_written_ = false;
}

// A metric without a value has no head either.
void MetricsText::write_head() {
    if (!is_head_written_) {
        is_head_written_ = true;
        fmt::format_to(
            std::back_inserter(text_),
            "# HELP {0} {1}.\n# TYPE {0} {2}\n",
            head_->name,
            head_->meaning,
            name_of(head_->kind)
        );
    }
}

void MetricsText::add(std::uint64_t number, std::initializer_list<std::string_view> labels) {
    add_text(fmt::to_string(number), labels);
}

void MetricsText::add(std::int64_t number, std::initializer_list<std::string_view> labels) {
    add_text(fmt::to_string(number), labels);
}

void MetricsText::add(double number, std::initializer_list<std::string_view> labels) {
    add_text(fmt::to_string(number), labels);
}

void MetricsText::add_text(
    std::string_view number,
    std::initializer_list<std::string_view> labels
) {
    const auto& names = head_->label_names;
    JOBSTRAND_ENSURE(std::cmp_equal(labels.size(), std::ranges::find(names, "") - names.begin()));
    write_head();
    text_ += head_->name;
    char before = '{';
    auto name = names.begin();
    for (const std::string_view value : labels) {
        text_ += before;
        text_ += label(*name++, value);
        before = ',';
    }
    text_ += labels.size() == 0 ? " " : "} ";
    text_ += number;
    text_ += '\n';
}

void MetricsText::add(const schema::DurationHistogram& histogram) {
    write_head();
    append_buckets(
        text_, head_->name, schema::DurationHistogram::kBoundsS, histogram, histogram.sum_s()
    );
}

void MetricsText::add(const schema::SizeHistogram& histogram) {
    write_head();
    append_buckets(text_, head_->name, schema::SizeHistogram::kBounds, histogram, histogram.sum());
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
