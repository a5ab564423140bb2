#include "timers/calendar/calendar_text.hpp"

#include "schema/text/parsing.hpp"
#include "timers/cron/cron_expression.hpp"
#include "timers/zone/time_of_day.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace jobstrand::timers {
namespace {

using schema::ParseError;
using schema::ParseResult;
using schema::TextScanner;

constexpr std::string_view kBlanks = " \t\r";

/// A piece of the text, and where it stands in the whole.
struct Part {
    std::string_view text;
    std::size_t position = 0;

    [[nodiscard]] Part behind(std::size_t count) const {
        const std::size_t begin = std::min(text.find_first_not_of(kBlanks, count), text.size());
        return {text.substr(begin), position + begin};
    }
};

Part trimmed(Part part) {
    part = part.behind(0);
    while (!part.text.empty() && kBlanks.find(part.text.back()) != kBlanks.npos) {
        part.text.remove_suffix(1);
    }
    return part;
}

std::vector<Part> split(Part whole, std::string_view separators) {
    std::vector<Part> parts;
    while (!whole.text.empty()) {
        const std::size_t end = std::min(whole.text.find_first_of(separators), whole.text.size());
        const Part part = trimmed({whole.text.substr(0, end), whole.position});
        if (!part.text.empty()) {
            parts.push_back(part);
        }
        const std::size_t next = std::min(end + 1, whole.text.size());
        whole = {whole.text.substr(next), whole.position + next};
    }
    return parts;
}

/// Reads every word behind the first with `read`; the first one that is wrong is the error.
template <typename Read>
std::optional<ParseError> read_words(Part words, Read read) {
    const std::vector<Part> all = split(words, kBlanks);
    if (all.empty()) {
        return ParseError{"expected at least one value", words.position};
    }
    for (const Part& word : all) {
        TextScanner scanner(word.text);
        read(scanner);
        scanner.expect_end();
        if (const auto result = scanner.result(true); !result) {
            return ParseError{result.error().message, word.position + result.error().position};
        }
    }
    return std::nullopt;
}

std::chrono::month_day read_month_day(TextScanner& scanner) {
    const auto month = static_cast<unsigned>(scanner.digits(2, "month", 1, 12));
    scanner.expect('-', "'-' and the day");
    const auto day = static_cast<unsigned>(scanner.digits(2, "day", 1, 31));
    const std::chrono::month_day date{std::chrono::month{month}, std::chrono::day{day}};
    if (!scanner.failed() && !date.ok()) {
        scanner.fail_at(0, "there is no such day");
    }
    return date;
}

std::chrono::year_month_day read_date(TextScanner& scanner) {
    const int year = scanner.digits(4, "year", 1970, 9999);
    scanner.expect('-', "'-' and the month");
    const auto month_day = read_month_day(scanner);
    const auto date = std::chrono::year{year} / month_day.month() / month_day.day();
    if (!scanner.failed() && !date.ok()) {
        scanner.fail_at(0, "there is no such day");
    }
    return date;
}

/// Reads the lines one after the other.
class CalendarReader {
public:
    explicit CalendarReader(std::string_view text) : text_(text) {}

    ParseResult<CalendarText> read() {
        for (const Part& line : split({text_, 0}, "\n;")) {
            if (const auto error = read_line(line)) {
                return *error;
            }
        }
        if (result_.calendar.exclusions.empty() && result_.based_on.empty()) {
            return ParseError{"a calendar must exclude something", 0};
        }
        return std::move(result_);
    }

private:
    using Reader = std::optional<ParseError> (CalendarReader::*)(Part);

    std::optional<ParseError> read_line(Part line) {
        struct Kind {
            std::string_view word;
            Reader read;
        };
        static constexpr std::array kKinds{
            Kind{"holidays", &CalendarReader::read_holidays},
            Kind{"annual", &CalendarReader::read_annual},
            Kind{"weekly", &CalendarReader::read_weekly},
            Kind{"monthly", &CalendarReader::read_monthly},
            Kind{"daily", &CalendarReader::read_daily},
            Kind{"cron", &CalendarReader::read_cron},
            Kind{"zone", &CalendarReader::read_zone},
            Kind{"based", &CalendarReader::read_based_on},
        };
        const std::string_view word = line.text.substr(0, line.text.find_first_of(kBlanks));
        for (const Kind& kind : kKinds) {
            if (kind.word == word) {
                return (this->*kind.read)(line.behind(word.size()));
            }
        }
        return ParseError{
            "expected holidays, annual, weekly, monthly, daily, cron, zone or 'based on'",
            line.position};
    }

    template <typename Times>
    std::optional<ParseError> add(Times times, std::optional<ParseError> error) {
        if (!error) {
            result_.calendar.exclusions.push_back({std::move(times), zone_});
        }
        return error;
    }

    std::optional<ParseError> read_holidays(Part words) {
        HolidayExclusion holidays;
        auto error = read_words(words, [&](TextScanner& scanner) {
            holidays.days.insert(read_date(scanner));
        });
        return add(std::move(holidays), std::move(error));
    }

    std::optional<ParseError> read_annual(Part words) {
        AnnualExclusion annual;
        auto error = read_words(words, [&](TextScanner& scanner) {
            annual.days.insert(read_month_day(scanner));
        });
        return add(std::move(annual), std::move(error));
    }

    std::optional<ParseError> read_weekly(Part words) {
        WeeklyExclusion weekly;
        weekly.weekdays.reset();
        auto error = read_words(words, [&](TextScanner& scanner) {
            weekly.weekdays.set(read_weekday(scanner));
        });
        if (!error && weekly.weekdays.all()) {
            return ParseError{"one day of the week must be left", words.position};
        }
        return add(weekly, std::move(error));
    }

    std::optional<ParseError> read_monthly(Part words) {
        MonthlyExclusion monthly;
        auto error = read_words(words, [&](TextScanner& scanner) {
            const std::int64_t day = scanner.number("a day of the month");
            if (day < 1 || day > 31) {
                scanner.fail_at(0, "the day must be 1 to 31");
            } else {
                monthly.days.set(static_cast<std::size_t>(day));
            }
        });
        return add(monthly, std::move(error));
    }

    std::optional<ParseError> read_daily(Part words) {
        static constexpr std::string_view kExcept = "except ";
        DailyExclusion daily{.from = schema::Duration{0}, .to = schema::Duration{0}};
        daily.inverted = words.text.starts_with(kExcept);
        const Part range = daily.inverted ? words.behind(kExcept.size()) : words;
        auto error = read_words(range, [&](TextScanner& scanner) {
            daily.from = read_time_of_day(scanner);
            scanner.expect('-', "'-' and the end");
            daily.to = read_time_of_day(scanner);
            if (!scanner.failed() && daily.to < daily.from) {
                scanner.fail_at(0, "the end must not be before the begin");
            }
        });
        return add(daily, std::move(error));
    }

    std::optional<ParseError> read_cron(Part words) {
        const auto cron = parse_cron(words.text);
        if (!cron) {
            return ParseError{cron.error().message, words.position + cron.error().position};
        }
        return add(CronExclusion{cron.value()}, std::nullopt);
    }

    std::optional<ParseError> read_zone(Part words) {
        const auto zone = Zone::find(words.text);
        if (!zone) {
            return ParseError{zone.error().message, words.position};
        }
        zone_ = zone.value();
        return std::nullopt;
    }

    std::optional<ParseError> read_based_on(Part words) {
        if (!words.text.starts_with("on ")) {
            return ParseError{"expected 'on' and the name of a calendar", words.position};
        }
        if (!result_.based_on.empty()) {
            return ParseError{"a calendar is based on one other at most", words.position};
        }
        result_.based_on = words.behind(3).text;
        return std::nullopt;
    }

    std::string_view text_;
    Zone zone_ = Zone::utc();
    CalendarText result_;
};

}  // namespace

ParseResult<CalendarText> parse_calendar(std::string_view text) {
    return CalendarReader(text).read();
}

ParseResult<Calendar> find_calendar(std::string_view name, const schema::CalendarTexts& texts) {
    Calendar all;
    std::set<std::string, std::less<>> seen;
    for (std::string next(name); !next.empty();) {
        const auto found = texts.find(next);
        if (found == texts.end()) {
            return ParseError{fmt::format("there is no calendar \"{}\"", next), 0};
        }
        if (!seen.insert(next).second) {
            return ParseError{fmt::format("the calendar \"{}\" is based on itself", next), 0};
        }
        if (seen.size() > kMostBases + 1) {
            return ParseError{
                fmt::format("calendar \"{}\": based on more than {} others", name, kMostBases), 0};
        }
        const auto read = parse_calendar(found->second);
        if (!read) {
            return ParseError{
                fmt::format("calendar \"{}\": {}", next, read.error().message),
                read.error().position};
        }
        const auto& exclusions = read.value().calendar.exclusions;
        all.exclusions.insert(all.exclusions.end(), exclusions.begin(), exclusions.end());
        next = read.value().based_on;
    }
    return all;
}

bool hangs_on(std::string_view name, std::string_view base, const schema::CalendarTexts& texts) {
    std::string next(name);
    for (std::size_t i = 0; i <= kMostBases && !next.empty(); ++i) {
        if (next == base) {
            return true;
        }
        const auto found = texts.find(next);
        if (found == texts.end()) {
            return false;
        }
        const auto read = parse_calendar(found->second);
        next = read ? read.value().based_on : "";
    }
    return false;
}

}  // namespace jobstrand::timers
