#include "timers/cron/cron_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace jobstrand::timers {
namespace {

using schema::TextScanner;

bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

/// Numbers beyond any field are cut, so that they fit an int.
int number_of_field(TextScanner& scanner, const std::string& what) {
    constexpr std::int64_t kTooLarge = 1'000'000;
    return static_cast<int>(std::min(scanner.number(what), kTooLarge));
}

/// All of `rest`, if its first letter comes next.
void take_rest_of_name(TextScanner& scanner, std::string_view rest) {
    if (rest.empty() || scanner.peek() != rest.front()) {
        return;
    }
    for (const char letter : rest) {
        scanner.expect(letter, fmt::format("'{}', to end the name", letter));
    }
}

/// `FRI` or `FRIDAY`; what follows the name stays, as the L of `FRIL`.
int read_name(TextScanner& scanner, const CronField& field) {
    const std::size_t start = scanner.position();
    std::string written;
    while (written.size() < 3 && is_capital(scanner.peek())) {
        written += scanner.peek();
        scanner.take(scanner.peek());
    }
    for (std::size_t i = 0; i < field.names.size(); ++i) {
        if (written == field.names[i].substr(0, 3)) {
            take_rest_of_name(scanner, field.names[i].substr(3));
            return field.first_named + static_cast<int>(i);
        }
    }
    scanner.fail_at(
        start, fmt::format("'{}' does not begin the name of a {}", written, field.name)
    );
    return field.first;
}

/// 0 if there is no step. A step is at least 1.
int read_step(TextScanner& scanner, const CronField& field, bool behind_name, bool behind_range) {
    const std::size_t slash = scanner.position();
    if (!scanner.take('/')) {
        return 0;
    }
    const std::size_t start = scanner.position();
    const int step = number_of_field(scanner, "a number behind '/'");
    if (behind_name && !field.steps_behind_names) {
        scanner.fail_at(slash, "Quartz ignores a step behind a name; write numbers, such as 2-6/2");
    }
    if (step == 0) {
        scanner.fail_at(start, "a step is at least 1");
    }
    if (!behind_range && field.longest_step > 0 && step > field.longest_step) {
        scanner.fail_at(
            start, fmt::format("a step of the {} is at most {}", field.name, field.longest_step)
        );
    }
    return step;
}

std::vector<int> every(const CronField& field, int first, int last, int step) {
    std::vector<int> values;
    for (int value = first; value <= last; value += step) {
        const bool wrapped = field.cycle > 0;
        values.push_back(wrapped ? (value - field.first) % field.cycle + field.first : value);
    }
    return values;
}

/// The largest value, counted once: of 0 to 7 for the days of the week it is 6.
int largest(const CronField& field) {
    return field.cycle > 0 ? field.first + field.cycle - 1 : field.last;
}

std::vector<int> read_wildcard(TextScanner& scanner, const CronField& field) {
    scanner.take('*');
    const int step = read_step(scanner, field, false, false);
    return every(field, field.first, largest(field), std::max(step, 1));
}

}  // namespace

bool at_field_end(const TextScanner& scanner) {
    return scanner.at_end() || is_blank(scanner.peek());
}

CronValue read_cron_value(TextScanner& scanner, const CronField& field) {
    CronValue value{
        field.first, !field.names.empty() && is_capital(scanner.peek()), scanner.position()};
    if (value.named) {
        value.number = read_name(scanner, field);
        return value;
    }
    value.number = number_of_field(scanner, fmt::format("the {}", field.name));
    if (value.number < field.first || value.number > field.last) {
        scanner.fail_at(
            value.position,
            fmt::format("the {} must be {} to {}", field.name, field.first, field.last)
        );
        value.number = field.first;
    }
    return value;
}

std::vector<int>
read_cron_range(TextScanner& scanner, const CronField& field, const CronValue& first) {
    const bool is_range = scanner.take('-');
    const CronValue last = is_range ? read_cron_value(scanner, field) : first;
    const int step = read_step(scanner, field, last.named, is_range);
    if (!is_range) {
        return every(
            field, first.number, step > 0 ? largest(field) : first.number, std::max(step, 1)
        );
    }
    const bool wraps = last.number < first.number;
    if (wraps && field.cycle == 0) {
        scanner.fail_at(
            first.position, fmt::format("this range of the {} ends before it begins", field.name)
        );
    }
    return every(field, first.number, last.number + (wraps ? field.cycle : 0), std::max(step, 1));
}

std::vector<int> read_cron_item(TextScanner& scanner, const CronField& field) {
    if (scanner.peek() == '*' || scanner.peek() == '/') {
        return read_wildcard(scanner, field);
    }
    const CronValue first = read_cron_value(scanner, field);
    return read_cron_range(scanner, field, first);
}

bool next_cron_item(TextScanner& scanner) {
    if (scanner.take(',')) {
        return true;
    }
    if (!at_field_end(scanner)) {
        const char c = scanner.peek();
        const bool printable = c > ' ' && c <= '~';
        scanner.fail(printable ? fmt::format("unexpected '{}'", c) : "unexpected character");
    }
    return false;
}

std::vector<int> read_cron_list(TextScanner& scanner, const CronField& field) {
    std::vector<int> values;
    do {
        std::ranges::copy(read_cron_item(scanner, field), std::back_inserter(values));
    } while (next_cron_item(scanner));
    return values;
}

}  // namespace jobstrand::timers
