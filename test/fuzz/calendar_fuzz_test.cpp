#include "test/fuzz/fuzz_run.hpp"
#include "test/timers/times.hpp"
#include "timers/calendar/calendar_text.hpp"
#include "timers/series/series_planner.hpp"

#include <array>

namespace jobstrand::test {
namespace {

using schema::CalendarTexts;
using schema::Series;
using schema::TimePoint;
using timers::at;

const Grammar& calendar_grammar() {
    static const Grammar grammar(R"grammar(
    calendar ::= <line> | <line>;<calendar> | <line><nl><calendar> | <blank><line> ; <calendar>
    line     ::= weekly <days> | annual <dates> | holidays <holidays> | monthly <numbers>
               | daily <time>-<time> | daily except <time>-<time> | cron <field> <field> <hour> <day>
               | cron <field> <field> <hour> <day> | zone <zone> | based on <name>
    days     ::= SAT SUN | <weekday> | <weekday> <days> | <weekday><tab><weekday> <days>
    weekday  ::= MON | TUE | WED | THU | FRI | SAT | SUN | sun
    dates    ::= 12-25 | 02-29 | <month>-<date> | <month>-<date> <dates>
    holidays ::= 2027-03-26 | <year>-<month>-<date> | <year>-<month>-<date> <holidays>
    year     ::= 2027 | 2028 | 1970 | 9999 | 2200
    month    ::= 01 | 02 | 06 | 11 | 12 | 13
    date     ::= 01 | 15 | 28 | 29 | 30 | 31 | 32 | 00
    numbers  ::= 1 | 31 | <number> | <number> <numbers>
    number   ::= 1 | 2 | 15 | 28 | 29 | 30 | 31 | 32
    time     ::= 00:00 | <clock> | <clock>:00 | <clock>:59.999 | 23:59:59.999
    clock    ::= 09:00 | 00:00 | 12:30 | 17:45 | 23:59 | 24:00
    field    ::= * | * | 0 | 0-29 | 30-59 | 1-59 | 0/2 | 1/2 | 5,10,15 | 59 | 0-58
    hour     ::= * | 0-7,18-23 | 8-17 | 0/2 | 1/2 | 0-22 | 23
    day      ::= ? * * | * * ? | ? * MON-FRI | ? * SAT,SUN | 1-15 * ? | L * ? | 15W * ? | 29 2 ?
    zone     ::= Europe/Berlin | UTC | America/New_York | Pacific/Apia | Australia/Lord_Howe | +05:30
    name     ::= other | this | nobody | other thing
)grammar");
    return grammar;
}

constexpr std::array kRepeats{
    "0 0 9 * * ?",
    "* * * * * ?",
    "30 30 12 ? * MON",
    "0 0 0 29 2 ?",
    "0/7 * * * * ? 2030",
    "R/PT1S",
    "R5/PT0.001S",
    "R/2026-01-05T09:00Z/P7D",
    "R/2025-12-25T00:00Z/P1Y",
    "R100/2026-02-28T23:30/P1M/2031-01-01"};

/// Whatever a calendar leaves out, a series that begins with it is due at a time that it does not,
/// and goes on in time.
void try_series_with(const CalendarTexts& texts, Dice& dice, TimePoint now) {
    const timers::SeriesPlanner planner;
    Series series;
    series.key = "s";
    series.repeat = dice.any_of(kRepeats);
    series.calendar = "this";
    series.zone = dice.one_in(2) ? "UTC" : "America/New_York";
    series.misfire = dice.one_in(3) ? "smart" : "";
    const auto begun = planner.begin(series, texts, std::nullopt, now);
    if (!begun) {
        ASSERT_FALSE(begun.error().message.empty());
        return;
    }
    const auto calendar = timers::find_calendar("this", texts);
    ASSERT_TRUE(calendar);
    series = begun.value().series;
    for (int turn = 0; turn < 2 && series.next_fire; ++turn) {
        const TimePoint due = *series.next_fire;
        // A cycle with turns to make up for is due at once.
        ASSERT_TRUE(due <= now || is_included(calendar.value(), due))
            << series.repeat << ", due " << timers::text_of(due);
        const auto plan = planner.plan(series, texts, due, std::max(now, due));
        ASSERT_TRUE(plan);
        ASSERT_TRUE(!plan.value().next_due || *plan.value().next_due > due);
        series = plan.value().series;
    }
}

TEST(CalendarFuzz, No_text_of_a_calendar_crashes_it_or_keeps_it_busy) {
    const FuzzCount count = fuzz(
        [](Dice& dice) { return nearly_valid(calendar_grammar(), "calendar", dice); },
        [](const std::string& text, Dice& dice) {
            const auto read = timers::parse_calendar(text);
            if (!read) {
                EXPECT_LE(read.error().position, text.size());
                EXPECT_FALSE(read.error().message.empty());
                return false;
            }
            const CalendarTexts texts{
                {"this", text}, {"other", "weekly SUN"}, {"other thing", "based on other"}};
            EXPECT_TRUE(timers::hangs_on("this", "this", texts));
            const TimePoint now =
                at("2026-01-01T12:00Z") + schema::Duration{dice.between(0, 100'000'000'000)};
            try_series_with(texts, dice, now);
            return true;
        }
    );
    EXPECT_GT(count.taken, count.texts / 5) << "most texts are nearly valid";
}

}  // namespace
}  // namespace jobstrand::test
