#include "schema/text/iso8601.hpp"
#include "schema/text/text_scanner.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;

struct Unit {
    char designator;
    bool of_time;     ///< Stands behind the T.
    Duration length;  ///< Mean length, for years and months.
};

/// In the order in which they may appear.
constexpr std::array kUnits{
    Unit{'Y', false, std::chrono::years{1}},
    Unit{'M', false, std::chrono::months{1}},
    Unit{'W', false, std::chrono::weeks{1}},
    Unit{'D', false, std::chrono::days{1}},
    Unit{'H', true, 1h},
    Unit{'M', true, 1min},
    Unit{'S', true, 1s},
};

/// Reads the parts behind the P one by one.
class DurationParser {
public:
    explicit DurationParser(TextScanner& scanner) : scanner_(scanner) {}

    IsoDuration parse() {
        while (!scanner_.at_end()) {
            if (!in_time_ && scanner_.take('T')) {
                in_time_ = true;
                expects_part_ = true;
            } else {
                read_part();
            }
        }
        if (expects_part_) {
            scanner_.fail("expected a number");
        }
        return duration_;
    }

private:
    void read_part() {
        const std::size_t start = scanner_.position();
        const std::int64_t number = scanner_.number("a number");
        const std::size_t point = scanner_.position();
        const bool has_fraction = scanner_.take('.');
        const Duration fraction{has_fraction ? scanner_.milliseconds() : 0};
        const Unit* unit = read_unit();
        if (unit == nullptr) {
            return;
        }
        if (has_fraction && unit->designator != 'S') {
            return scanner_.fail_at(point, "only seconds may have a fraction");
        }
        const Duration room = kLongestDuration - total_ - fraction;
        if (room < Duration::zero() || number > room / unit->length) {
            return scanner_.fail_at(start, "the duration is longer than 1,000 years");
        }
        total_ += number * unit->length + fraction;
        add(number, *unit, fraction);
        expects_part_ = false;
    }

    /// nullptr, and the scanner has failed: no unit stands here, or one that may not come now.
    const Unit* read_unit() {
        const char designator = scanner_.peek();
        for (std::size_t i = next_unit_; i < kUnits.size(); ++i) {
            if (kUnits[i].designator == designator && kUnits[i].of_time == in_time_) {
                scanner_.take(designator);
                next_unit_ = i + 1;
                return &kUnits[i];
            }
        }
        scanner_.fail(
            in_time_ ? "expected H, M or S, each once and in this order"
                     : "expected Y, M, W or D, each once and in this order, or T before hours"
        );
        return nullptr;
    }

    void add(std::int64_t number, const Unit& unit, Duration fraction) {
        const int count = static_cast<int>(number);
        if (unit.of_time) {
            duration_.time += number * unit.length + fraction;
        } else if (unit.designator == 'Y') {
            duration_.years = count;
        } else if (unit.designator == 'M') {
            duration_.months = count;
        } else {
            duration_.days += count * static_cast<int>(unit.length / std::chrono::days{1});
        }
    }

    TextScanner& scanner_;
    IsoDuration duration_;
    Duration total_{0};
    std::size_t next_unit_ = 0;
    bool in_time_ = false;
    bool expects_part_ = true;
};

ParseResult<Duration> parse_millisecond_count(std::string_view text) {
    TextScanner scanner(text);
    const std::int64_t count = scanner.number("a number of milliseconds");
    scanner.expect_end();
    if (count > kLongestDuration.count()) {
        scanner.fail_at(0, "the duration is longer than 1,000 years");
    }
    return scanner.result(Duration{count});
}

/// `.05` for 50; empty for 0.
std::string fraction_text(std::int64_t milliseconds) {
    if (milliseconds == 0) {
        return {};
    }
    std::string text = std::to_string(1000 + milliseconds);
    text.front() = '.';
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

TimePoint add_months(TimePoint start, int count) {
    const auto day = std::chrono::floor<std::chrono::days>(start);
    auto date = std::chrono::year_month_day{day} + std::chrono::months{count};
    if (!date.ok()) {
        date = date.year() / date.month() / std::chrono::last;
    }
    return std::chrono::sys_days{date} + (start - day);
}

}  // namespace

ParseResult<IsoDuration> parse_iso_duration(std::string_view text) {
    TextScanner scanner(text);
    scanner.expect('P', "a duration such as PT30S or P1DT12H");
    const IsoDuration duration = DurationParser(scanner).parse();
    return scanner.result(duration);
}

ParseResult<Duration> parse_duration(std::string_view text) {
    if (!text.starts_with('P')) {
        return parse_millisecond_count(text);
    }
    const auto duration = parse_iso_duration(text);
    if (!duration) {
        return duration.error();
    }
    const std::size_t calendar_part = text.find_first_of("YMT");
    if (calendar_part != std::string_view::npos && text[calendar_part] != 'T') {
        return ParseError{"years and months have no fixed length; use days", calendar_part};
    }
    return std::chrono::days{duration.value().days} + duration.value().time;
}

TimePoint operator+(TimePoint start, const IsoDuration& duration) {
    return add_months(start, duration.years * 12 + duration.months) +
           std::chrono::days{duration.days} + duration.time;
}

std::string format_duration(Duration duration) {
    const bool negative = duration < Duration::zero();
    const std::chrono::hh_mm_ss parts(std::max(duration, -Duration::max()));
    std::string text = negative ? "-PT" : "PT";
    const std::size_t prefix = text.size();
    if (parts.hours().count() > 0) {
        text += std::to_string(parts.hours().count()) + 'H';
    }
    if (parts.minutes().count() > 0) {
        text += std::to_string(parts.minutes().count()) + 'M';
    }
    const std::int64_t seconds = parts.seconds().count();
    const std::int64_t fraction = parts.subseconds().count();
    if (seconds > 0 || fraction > 0 || text.size() == prefix) {
        text += std::to_string(seconds) + fraction_text(fraction) + 'S';
    }
    return text;
}

}  // namespace jobstrand::schema
