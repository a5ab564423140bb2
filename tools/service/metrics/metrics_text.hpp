#pragma once

#include "schema/histogram.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace jobstrand::service {

enum class MetricKind {
    counter,    ///< Only grows while the service runs; its name ends with `_total`.
    gauge,      ///< Goes up and down.
    histogram,  ///< Of times in seconds, or of sizes.
};

[[nodiscard]] std::string_view name_of(MetricKind kind);

/// What is said of a metric once.
struct MetricHead {
    std::string_view name;
    MetricKind kind = MetricKind::counter;
    std::string_view meaning;                          ///< A sentence or some, without a full stop.
    std::array<std::string_view, 3> label_names = {};  ///< The first ones; none: it has one value.
};

/// The text that Prometheus reads (exposition format 0.0.4), under construction.
class MetricsText final {
public:
    static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

    /// What is added from now on are values of this metric. It must live until the next one begins.
    void begin(const MetricHead& head);

    /// A value, for these values of the labels: one for each name.
    void add(std::uint64_t number, std::initializer_list<std::string_view> labels = {});
    void add(std::int64_t number, std::initializer_list<std::string_view> labels = {});
    void add(double number, std::initializer_list<std::string_view> labels = {});

    void add(const schema::DurationHistogram& histogram);
    void add(const schema::SizeHistogram& histogram);

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void write_head();
    void add_text(std::string_view number, std::initializer_list<std::string_view> labels);

    const MetricHead* head_ = nullptr;
    bool is_head_written_ = false;
    std::string text_;
};

/// `name="value"`, whatever stands in the value; of a long one the first 255 characters.
[[nodiscard]] std::string label(std::string_view name, std::string_view value);

}  // namespace jobstrand::service
