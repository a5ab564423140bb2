#include "timers/zone/time_of_day.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace jobstrand::timers {

using schema::TextScanner;

namespace {

constexpr std::array<std::string_view, 7>
    kWeekdays{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

[[nodiscard]] bool is_name_letter(char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z');
}

[[nodiscard]] char upper(char letter) {
    return letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

}  // namespace

schema::Duration read_time_of_day(TextScanner& scanner) {
    schema::Duration time = std::chrono::hours{scanner.digits(2, "hour", 0, 23)};
    scanner.expect(':', "':' and the minute");
    time += std::chrono::minutes{scanner.digits(2, "minute", 0, 59)};
    if (scanner.take(':')) {
        time += std::chrono::seconds{scanner.digits(2, "second", 0, 59)};
        if (scanner.take('.')) {
            time += schema::Duration{scanner.milliseconds()};
        }
    }
    return time;
}

std::size_t read_weekday(TextScanner& scanner) {
    const std::size_t begin = scanner.position();
    std::string name;
    for (; is_name_letter(scanner.peek()); scanner.take(scanner.peek())) {
        name += upper(scanner.peek());
    }
    const auto* const found = std::ranges::find(kWeekdays, name);
    if (found == kWeekdays.end()) {
        scanner.fail_at(begin, "expected SUN, MON, TUE, WED, THU, FRI or SAT");
        return 0;
    }
    return static_cast<std::size_t>(found - kWeekdays.begin());
}

}  // namespace jobstrand::timers
