#include "schema/text/spoken_duration.hpp"

#include "schema/text/text_scanner.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;

struct SpokenUnit {
    std::array<std::string_view, 4> words;
    Duration length;
};

/// In the order in which they may appear.
constexpr std::array kSpokenUnits{
    SpokenUnit{{"w", "week", "weeks", ""}, std::chrono::weeks{1}},
    SpokenUnit{{"d", "day", "days", ""}, std::chrono::days{1}},
    SpokenUnit{{"h", "hour", "hours", ""}, 1h},
    SpokenUnit{{"m", "min", "minute", "minutes"}, 1min},
    SpokenUnit{{"s", "sec", "second", "seconds"}, 1s},
    SpokenUnit{{"ms", "millisecond", "milliseconds", ""}, 1ms},
};

[[nodiscard]] bool is_unit_letter(char c) {
    return c >= 'a' && c <= 'z';
}

/// Reads `1h 30m` part by part.
class SpokenParts {
public:
    explicit SpokenParts(std::string_view text) : text_(text), scanner_(text) {}

    [[nodiscard]] ParseResult<IsoDuration> parse() {
        do {
            read_part();
            skip_blanks();
        } while (!scanner_.at_end());
        return scanner_.result(duration_);
    }

private:
    void read_part() {
        const std::size_t start = scanner_.position();
        const std::int64_t number = scanner_.number("a duration such as 5m, 1h30m or PT5M");
        const std::size_t point = scanner_.position();
        const bool has_fraction = scanner_.take('.');
        const Duration fraction{has_fraction ? scanner_.milliseconds() : 0};
        const SpokenUnit* const unit = read_unit(start);
        if (unit == nullptr) {
            return;
        }
        if (has_fraction && unit->length != 1s) {
            return scanner_.fail_at(point, "only seconds may have a fraction");
        }
        const Duration room = kLongestDuration - total_ - fraction;
        if (room < Duration::zero() || number > room / unit->length) {
            return scanner_.fail_at(start, "the duration is longer than 1,000 years");
        }
        total_ += number * unit->length + fraction;
        if (unit->length >= std::chrono::days{1}) {
            duration_.days += static_cast<int>(number * (unit->length / std::chrono::days{1}));
        } else {
            duration_.time += number * unit->length + fraction;
        }
    }

    /// nullptr, and the scanner has failed: no unit stands here, or one that may not come now.
    [[nodiscard]] const SpokenUnit* read_unit(std::size_t number) {
        skip_blanks();
        const std::size_t start = scanner_.position();
        while (is_unit_letter(scanner_.peek())) {
            scanner_.take(scanner_.peek());
        }
        const std::string_view word = text_.substr(start, scanner_.position() - start);
        if (scanner_.failed()) {
            return nullptr;
        }
        if (word.empty()) {
            scanner_.fail_at(number, "a number without a unit: write 5s, 5m or 5h");
            return nullptr;
        }
        const auto unit =
            std::find_if(next_unit_, kSpokenUnits.end(), [word](const SpokenUnit& one) {
                return std::ranges::find(one.words, word) != one.words.end();
            });
        if (unit == kSpokenUnits.end()) {
            scanner_.fail_at(start, "expected w, d, h, m, s or ms, each once and in this order");
            return nullptr;
        }
        next_unit_ = unit + 1;
        return unit;
    }

    void skip_blanks() {
        while (scanner_.take(' ')) {
        }
    }

    const std::string_view text_;
    TextScanner scanner_;
    IsoDuration duration_;
    Duration total_{0};
    const SpokenUnit* next_unit_ = kSpokenUnits.begin();
};

}  // namespace

ParseResult<IsoDuration> parse_spoken_duration(std::string_view text) {
    return text.starts_with('P') ? parse_iso_duration(text) : SpokenParts(text).parse();
}

ParseResult<Duration> parse_exact_duration(std::string_view text) {
    const auto duration = parse_spoken_duration(text);
    if (!duration) {
        return duration.error();
    }
    if (duration.value().years != 0 || duration.value().months != 0) {
        return ParseError{"years and months have no fixed length; use days", 0};
    }
    return std::chrono::days{duration.value().days} + duration.value().time;
}

}  // namespace jobstrand::schema
