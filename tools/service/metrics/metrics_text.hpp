#pragma once

#include "schema/duration_histogram.hpp"
#include "schema/size_histogram.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::service {

/// The text that Prometheus reads (exposition format 0.0.4), under construction.
class MetricsText final {
public:
    static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

    /// Begins a metric; its values follow. `type` is `counter`, `gauge` or `histogram`.
    void begin(std::string_view name, std::string_view type, std::string_view help);

    /// A value of the metric that was begun last; `labels` as `code="2xx"`. Values from outside go
    /// through label().
    void value(std::uint64_t number, std::string_view labels = {});
    void value(double number, std::string_view labels = {});

    void values(const schema::DurationHistogram& histogram);
    void values(const schema::SizeHistogram& histogram);

    void counter(std::string_view name, std::uint64_t number, std::string_view help) {
        begin(name, "counter", help);
        value(number);
    }
    void gauge(std::string_view name, double number, std::string_view help) {
        begin(name, "gauge", help);
        value(number);
    }

    void histogram(
        std::string_view name,
        const schema::DurationHistogram& durations,
        std::string_view help
    ) {
        begin(name, "histogram", help);
        values(durations);
    }

    void
    histogram(std::string_view name, const schema::SizeHistogram& sizes, std::string_view help) {
        begin(name, "histogram", help);
        values(sizes);
    }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string name_;
    std::string text_;
};

/// `name="value"`, whatever stands in the value; of a long one the first 255 characters.
[[nodiscard]] std::string label(std::string_view name, std::string_view value);

}  // namespace jobstrand::service
