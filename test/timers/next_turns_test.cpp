#include "timers/series/next_turns.hpp"

#include "test/timers/times.hpp"
#include "timers/series/series_planner.hpp"

#include <gmock/gmock.h>

namespace jobstrand::timers {
namespace {

using schema::Series;
using testing::ElementsAre;
using testing::IsEmpty;

const schema::CalendarTexts kBankCalendar{{"bank", "holidays 2026-01-02"}};

class NextTurnsTest : public testing::Test {
protected:
    [[nodiscard]] static Series begun(Series series, std::string_view now) {
        return SeriesPlanner().begin(series, kBankCalendar, {}, at(now)).value().series;
    }

    /// As the service's clock shows `now`.
    [[nodiscard]] static std::vector<std::string> turns(
        const Series& series,
        std::string_view now,
        std::size_t count = 3,
        std::string_view after = "2000-01-01T00:00Z"
    ) {
        const auto found =
            next_turns(SeriesPlanner(), series, kBankCalendar, at(now), at(after), count);
        std::vector<std::string> texts;
        for (const schema::TimePoint time : found.value()) {
            texts.push_back(schema::format_instant(time).substr(0, 16));
        }
        return texts;
    }
};

TEST_F(NextTurnsTest, Begin_with_the_one_that_waits_and_leave_out_what_the_calendar_excludes) {
    const Series daily = begun({.repeat = "0 0 2 * * ?", .calendar = "bank"}, "2025-12-31T12:00Z");
    EXPECT_THAT(
        turns(daily, "2025-12-31T12:00Z"),
        ElementsAre("2026-01-01T02:00", "2026-01-03T02:00", "2026-01-04T02:00")
    );
    EXPECT_THAT(
        turns(daily, "2025-12-31T12:00Z", 1, "2026-01-03T02:00Z"), ElementsAre("2026-01-04T02:00")
    );
}

TEST_F(NextTurnsTest, End_with_the_number_or_the_end_of_the_series) {
    const Series twice = begun({.repeat = "R2/PT1H"}, "2026-01-01T00:00Z");
    EXPECT_THAT(
        turns(twice, "2026-01-01T00:00Z"), ElementsAre("2026-01-01T01:00", "2026-01-01T02:00")
    );
    const Series until =
        begun({.repeat = "0 0 2 * * ?", .end = at("2026-01-02T03:00Z")}, "2026-01-01T00:00Z");
    EXPECT_THAT(
        turns(until, "2026-01-01T00:00Z"), ElementsAre("2026-01-01T02:00", "2026-01-02T02:00")
    );
    EXPECT_THAT(turns(Series{}, "2026-01-01T00:00Z"), IsEmpty()) << "nothing waits";
}

TEST_F(NextTurnsTest, Of_those_that_are_late_the_misfire_instruction_tells_which_run) {
    const auto late = [](std::string misfire) {
        return turns(
            begun({.repeat = "0 0 2 * * ?", .misfire = std::move(misfire)}, "2026-01-01T00:00Z"),
            "2026-01-03T12:00Z"
        );
    };
    EXPECT_THAT(
        late("do-nothing"), ElementsAre("2026-01-04T02:00", "2026-01-05T02:00", "2026-01-06T02:00")
    );
    EXPECT_THAT(
        late("fire-once-now"),
        ElementsAre("2026-01-03T12:00", "2026-01-04T02:00", "2026-01-05T02:00")
    );
    EXPECT_THAT(
        late("ignore"), ElementsAre("2026-01-03T12:00", "2026-01-03T12:00", "2026-01-03T12:00")
    );
}

TEST_F(NextTurnsTest, A_text_that_cannot_be_read_is_told) {
    Series odd = begun({.repeat = "R2/PT1H"}, "2026-01-01T00:00Z");
    odd.repeat = "odd";
    EXPECT_FALSE(next_turns(
        SeriesPlanner(), odd, kBankCalendar, at("2026-01-01T00:00Z"), at("2026-01-01T00:00Z"), 1
    ));
}

}  // namespace
}  // namespace jobstrand::timers
