#include "timers/series/series_planner.hpp"

#include "test/timers/times.hpp"
#include "timers/series/next_turns.hpp"
#include "timers/series/series_problems.hpp"
#include "timers/series/series_rules.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

namespace jobstrand::timers {

namespace {

using schema::CalendarTexts;
using schema::Series;
using schema::TimePoint;
using schema::TurnPlan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

/// cron, simple or grid, with the zone; or what is wrong.
std::string kind_of(const Series& series, const schema::CalendarTexts& calendars = {}) {
    const auto rules = read_rules(series, calendars);
    if (!rules) {
        return rules.error().message;
    }
    constexpr std::string_view kKinds[] = {"cron", "simple", "grid"};
    return std::string(kKinds[rules.value().kind.index()]) + " " + rules.value().zone.name();
}

TEST(SeriesRules, The_text_says_of_what_kind_a_series_is) {
    EXPECT_EQ(kind_of(a_series("0 0 12 * * ?")), "cron UTC");
    EXPECT_EQ(kind_of(a_series("*/5 * * * *")), "cron UTC");
    EXPECT_EQ(kind_of(a_series("R3/PT1H")), "grid UTC");
    Series series = a_series("R3/PT1H");
    series.misfire = "smart";
    EXPECT_EQ(kind_of(series), "simple UTC") << "an instruction makes it Quartz's simple trigger";
}

TEST(SeriesRules, The_tags_that_Flowable_writes_behind_a_text_are_read_in_any_order) {
    for (const char* text :
         {"R/PT1H DSTZONE:Europe/Berlin",
          "R/PT1H DSTZONE:Europe/Berlin VER:2",
          "R/PT1H VER:2 DSTZONE:Europe/Berlin",
          "R/PT1H  DSTZONE:Europe/Berlin"}) {
        EXPECT_EQ(kind_of(a_series(text)), "grid Europe/Berlin") << text;
    }
    EXPECT_EQ(kind_of(a_series("0 0 12 * * ? DSTZONE:Asia/Tokyo VER:1")), "cron Asia/Tokyo");
    EXPECT_EQ(kind_of(a_series("R/PT1H VER:2")), "grid UTC");
}

TEST(SeriesRules, The_zone_of_a_tag_wins_and_must_exist) {
    Series series = a_series("R/PT1H DSTZONE:Asia/Tokyo");
    series.zone = "Europe/Berlin";
    EXPECT_EQ(kind_of(series), "grid Asia/Tokyo");
    series.repeat = "R/PT1H DSTZONE:Asia/Tokio";
    EXPECT_THAT(kind_of(series), HasSubstr("Asia/Tokio"));
}

TEST(SeriesRules, A_calendar_comes_with_all_that_it_is_based_on) {
    Series series = a_series("R/PT1H");
    series.calendar = "office";
    const schema::CalendarTexts calendars{
        {"office", "based on week; holidays 2026-12-25"}, {"week", "weekly SAT SUN"}};
    const auto rules = read_rules(series, calendars);
    ASSERT_TRUE(rules);
    ASSERT_NE(rules.value().calendar_or_null(), nullptr);
    EXPECT_EQ(rules.value().calendar_or_null()->exclusions.size(), 2U);
    EXPECT_EQ(read_rules(a_series("R/PT1H"), calendars).value().calendar_or_null(), nullptr);
}

TEST(SeriesRules, The_cycle_of_a_series_is_known_without_its_tags) {
    EXPECT_EQ(to_text(cycle_in(a_series("R3/PT1H DSTZONE:Asia/Tokyo VER:1")).value()), "R3/PT1H");
    EXPECT_FALSE(cycle_in(a_series("0 0 12 * * ?")));
    EXPECT_FALSE(cycle_in(a_series("R3/")));
    EXPECT_FALSE(cycle_in(a_series("PT1H")));
}

TEST(SeriesRules, Instructions_have_a_name_or_the_number_of_Quartz) {
    const struct {
        std::string_view name;
        std::string_view number;
        std::optional<SimpleMisfire> simple;
    } simple_cases[] = {
        {"ignore", "-1", SimpleMisfire::ignore},
        {"smart", "0", SimpleMisfire::smart},
        {"fire-now", "1", SimpleMisfire::fire_now},
        {"now-with-existing", "2", SimpleMisfire::now_with_existing},
        {"now-with-remaining", "3", SimpleMisfire::now_with_remaining},
        {"next-with-remaining", "4", SimpleMisfire::next_with_remaining},
        {"next-with-existing", "5", SimpleMisfire::next_with_existing},
        {"fire-once-now", "6", std::nullopt},
        {"", "-2", std::nullopt},
        {"Smart", "1x", std::nullopt},
    };
    for (const auto& [name, number, instruction] : simple_cases) {
        EXPECT_EQ(simple_misfire_named(name), instruction) << name;
        EXPECT_EQ(simple_misfire_named(number), instruction) << number;
    }
    const struct {
        std::string_view name;
        std::string_view number;
        std::optional<CronMisfire> cron;
    } cron_cases[] = {
        {"ignore", "-1", CronMisfire::ignore},
        {"smart", "0", CronMisfire::smart},
        {"fire-once-now", "1", CronMisfire::fire_once_now},
        {"do-nothing", "2", CronMisfire::do_nothing},
        {"fire-now", "3", std::nullopt},
        {"", " 1", std::nullopt},
        {"99999999999999999999", "+1", std::nullopt},
    };
    for (const auto& [name, number, instruction] : cron_cases) {
        EXPECT_EQ(cron_misfire_named(name), instruction) << name;
        EXPECT_EQ(cron_misfire_named(number), instruction) << number;
    }
}

TEST(SeriesRules, A_rule_for_changed_clocks_has_a_name) {
    EXPECT_EQ(dst_rule_named("quartz"), DstRule::quartz);
    EXPECT_EQ(dst_rule_named("run-once"), DstRule::run_once);
    EXPECT_FALSE(dst_rule_named(""));
    EXPECT_FALSE(dst_rule_named("run_once"));
}

class SeriesProblems : public testing::Test {
protected:
    std::vector<std::string> problems(const Series& series) {
        return problems_of_new(series, calendars_, first_due_, kNow);
    }

    const schema::TimePoint kNow = at("2026-01-01T00:00Z");
    schema::CalendarTexts calendars_{{"never", "daily 00:00-23:59:59.999"}};
    std::optional<schema::TimePoint> first_due_;
};

TEST_F(SeriesProblems, A_series_that_means_something_has_none) {
    EXPECT_THAT(problems(a_series("R3/PT1H")), IsEmpty());
    EXPECT_THAT(problems(a_series("0 0 12 * * ?")), IsEmpty());
    first_due_ = kNow;
    EXPECT_THAT(problems(a_series("R3/PT1H")), IsEmpty());
}

TEST_F(SeriesProblems, Every_field_that_is_wrong_is_named) {
    Series series = a_series("R3/PT1H");
    series.zone = "Mars/Olympus";
    series.dst_rule = "never";
    series.calendar = "holidays";
    EXPECT_THAT(
        problems(series),
        ElementsAre(
            testing::StartsWith("zone: "),
            "dst must be quartz or run-once",
            "calendar: there is no calendar \"holidays\""
        )
    );
}

TEST_F(SeriesProblems, What_several_fields_say_together_is_looked_at_when_each_is_right) {
    Series series = a_series("0 0 0 31 2 ?");
    EXPECT_THAT(problems(series), ElementsAre("no turn would ever be due"));
    series.zone = "Mars/Olympus";
    EXPECT_THAT(problems(series), ElementsAre(testing::StartsWith("zone: ")));
}

TEST_F(SeriesProblems, A_calendar_that_excludes_every_turn_is_a_problem) {
    Series series = a_series("0 0 12 * * ?");
    series.calendar = "never";
    EXPECT_THAT(problems(series), ElementsAre("no turn would ever be due"));
}

TEST(ProblemOfRepeat, Is_told_without_knowing_the_rest_of_the_series) {
    EXPECT_FALSE(problem_of_repeat("R3/PT1H"));
    EXPECT_FALSE(problem_of_repeat("@daily"));
    EXPECT_FALSE(problem_of_repeat("R3/PT1H DSTZONE:Asia/Tokyo"));
    EXPECT_EQ(problem_of_repeat("R3/").value().position, 3U);
    EXPECT_THAT(problem_of_repeat("PT1H").value().message, HasSubstr("does not repeat"));
    EXPECT_TRUE(problem_of_repeat(""));
}

const TimePoint kNow = at("2026-01-01T12:00Z");
const CalendarTexts kCalendars{{"workdays", "weekly SAT SUN"}};

class SeriesPlannerTest : public testing::Test {
protected:
    /// The series after its start, which must succeed.
    Series begun(const Series& series, std::optional<TimePoint> due = {}, TimePoint now = kNow) {
        const auto plan = planner.begin(series, kCalendars, due, now);
        EXPECT_TRUE(plan) << series.repeat << ": " << (plan ? "" : plan.error().message);
        return plan ? plan.value().series : Series{};
    }

    TurnPlan taken(const Series& series, TimePoint now) {
        return planner.plan(series, kCalendars, series.next_fire.value(), now).value();
    }

    std::string error_of(const Series& series) {
        const auto plan = planner.begin(series, kCalendars, {}, kNow);
        return plan ? "none" : fmt::format("{}: {}", plan.error().position, plan.error().message);
    }

    /// Moves a series as the timer mover does, at one instant, until its turn is in the future:
    /// how many turns fire, and what waits then.
    struct Awake {
        int fired = 0;
        std::string next;
    };
    Awake wake_up(Series series, TimePoint now) {
        Awake awake;
        while (series.next_fire && *series.next_fire <= now && awake.fired < 100'000) {
            const TurnPlan plan = taken(series, now);
            awake.fired += plan.fires ? 1 : 0;
            series = plan.series;
        }
        awake.next = text_of(series.next_fire);
        return awake;
    }

    SeriesPlanner planner;
};

TEST_F(SeriesPlannerTest, A_schedule_that_is_never_due_is_refused_as_that) {
    const CalendarTexts calendars{
        {"no mondays", "weekly MON"},
        {"no noon", "daily 12:00-12:00"},
        {"no christmas", "annual 12-25"},
        {"no first halves", "cron 0-29 * * * * ?"},
        {"never", "cron 0-29 * * * * ?; cron 30-59 * * * * ?"},
        {"hardly ever", "cron 0-58 * * * * ?; cron 59 0-58 * * * ?; cron 59 59 0-22 * * ?"},
    };
    struct Row {
        const char* repeat;
        const char* calendar;
    };
    const Row rows[] = {
        {"0 0 9 ? * MON", "no mondays"},
        {"R/2026-01-05T09:00Z/P7D", "no mondays"},
        {"0 0 12 * * ?", "no noon"},
        {"0 0 0 25 12 ?", "no christmas"},
        {"R/2025-12-25T00:00Z/P1Y", "no christmas"},
        {"10,20 * * * * ?", "no first halves"},
        {"* * * * * ?", "never"},
        {"R/PT1S", "never"},
        {"0 0 0 29 2 ?", "hardly ever"},
        {"0/7 * * * * ? 1999", "no noon"},
        {"0 0 0 30 2 ?", "no noon"},
    };
    const auto begin = std::chrono::steady_clock::now();
    for (const Row& row : rows) {
        for (const char* misfire : {"", "smart"}) {
            Series series = a_series(row.repeat, misfire);
            series.calendar = row.calendar;
            const auto plan = planner.begin(series, calendars, {}, kNow);
            // A period of days is not for Quartz's simple trigger.
            const bool is_exact =
                std::string_view(row.repeat).find("/P1Y") == std::string_view::npos &&
                std::string_view(row.repeat).find("/P7D") == std::string_view::npos;
            if (*misfire == '\0' || is_exact) {
                ASSERT_FALSE(plan) << row.repeat << ", " << row.calendar;
                EXPECT_EQ(plan.error().message, "no turn would ever be due") << row.repeat;
            }
        }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s) << "milliseconds, when optimised";
}

TEST_F(SeriesPlannerTest, What_is_seldom_due_is_found) {
    const CalendarTexts calendars{
        {"leap days on sundays", "weekly MON TUE WED THU FRI SAT"},
        {"one second a day", "cron 0-58 * * * * ?; cron 59 0-58 * * * ?; cron 59 59 0-22 * * ?"},
    };
    struct Row {
        const char* repeat;
        const char* calendar;
        const char* due;
    };
    const Row rows[] = {
        {"0 0 0 29 2 ?", "leap days on sundays", "2032-02-29T00:00:00Z"},
        {"0 0 0 25 12 ?", "leap days on sundays", "2033-12-25T00:00:00Z"},
        {"* * * * * ?", "one second a day", "2026-01-01T23:59:59Z"},
        {"R/2026-01-01T00:00Z/PT1S", "one second a day", "2026-01-01T23:59:59Z"},
    };
    for (const Row& row : rows) {
        Series series = a_series(row.repeat);
        series.calendar = row.calendar;
        const auto plan = planner.begin(series, calendars, {}, kNow);
        ASSERT_TRUE(plan) << row.repeat;
        EXPECT_EQ(text_of(plan.value().next_due), row.due) << row.repeat;
    }
}

TEST_F(SeriesPlannerTest, A_cycle_that_slept_for_years_counts_its_turns_without_overflow) {
    Series series = begun(a_series("R/PT0.001S", "next-with-remaining"));
    const TurnPlan plan = taken(series, kNow + std::chrono::years{2});
    EXPECT_FALSE(plan.fires);
    EXPECT_GT(plan.series.turns_taken, std::int64_t{60'000'000'000});
    EXPECT_EQ(plan.next_due, kNow + std::chrono::years{2} + 1ms);
    const TurnPlan next = taken(plan.series, *plan.next_due);
    EXPECT_TRUE(next.fires);
    EXPECT_EQ(next.series.turns_taken, plan.series.turns_taken + 1);
}

TEST_F(SeriesPlannerTest, The_first_turn_of_a_cycle_is_one_period_away_or_its_start) {
    const Series three = begun(a_series("R3/PT10H"));
    EXPECT_EQ(text_of(three.next_fire), "2026-01-01T22:00:00Z");
    EXPECT_EQ(three.start, kNow);
    EXPECT_EQ(three.total_turns, 3);
    EXPECT_EQ(planner.repeat_of(three), "R3/2026-01-01T12:00:00Z/PT10H");

    const Series later = begun(a_series("R/2027-01-01T09:00:00Z/P1M/2027-06-01T00:00:00Z"));
    EXPECT_EQ(text_of(later.next_fire), "2027-01-01T09:00:00Z");
    EXPECT_EQ(later.total_turns, std::nullopt);
    EXPECT_EQ(text_of(later.end), "2027-06-01T00:00:00Z");
}

TEST_F(SeriesPlannerTest, A_chosen_due_date_is_the_first_turn_and_begins_the_grid) {
    Series series = begun(a_series("R3/PT10H"), kNow + 1h);
    EXPECT_EQ(series.next_fire, kNow + 1h);
    series = taken(series, kNow + 1h).series;
    EXPECT_EQ(series.next_fire, kNow + 11h);
    series = begun(a_series("0 0 12 * * ?"), kNow + 1h);
    EXPECT_EQ(series.next_fire, kNow + 1h);
    series = taken(series, kNow + 1h).series;
    EXPECT_EQ(series.next_fire, kNow + 24h);
}

TEST_F(SeriesPlannerTest, A_limited_series_ends_with_its_last_turn) {
    Series series = begun(a_series("R2/PT10S"));
    series = taken(series, kNow + 10s).series;
    EXPECT_EQ(planner.repeat_of(series), "R1/2026-01-01T12:00:00Z/PT10S");
    EXPECT_EQ(series.previous_fire, kNow + 10s);
    EXPECT_EQ(series.state, schema::SeriesState::waiting);
    const TurnPlan last = taken(series, kNow + 20s);
    EXPECT_TRUE(last.fires);
    EXPECT_EQ(last.next_due, std::nullopt);
    EXPECT_EQ(last.series.state, schema::SeriesState::ended);
    EXPECT_EQ(last.series.fire_count, 2);
}

TEST_F(SeriesPlannerTest, A_turn_that_is_taken_early_is_not_taken_again) {
    const Series series = begun(a_series("R/PT10S"));
    EXPECT_EQ(taken(series, kNow + 1s).next_due, kNow + 20s);
    const Series daily = begun(a_series("0 0 13 * * ?"));
    EXPECT_EQ(text_of(taken(daily, kNow).next_due), "2026-01-02T13:00:00Z");
}

// A node asleep for an hour: what fires when it wakes up, 5 s behind a grid time.
TEST_F(SeriesPlannerTest, Each_misfire_instruction_does_what_its_table_says) {
    struct Row {
        const char* repeat;
        const char* misfire;
        int fired;
        const char* next;
    };
    const Row rows[] = {
        // Flowable's cycles.
        {"R/PT10M", "", 1, "2026-01-01T13:10:00Z"},
        {"R3/PT10M", "", 3, "none"},
        {"R100/PT10M", "", 6, "2026-01-01T13:10:00Z"},
        // Quartz's simple triggers.
        {"R/PT10M", "smart", 0, "2026-01-01T13:10:00Z"},
        {"R/PT10M", "ignore", 6, "2026-01-01T13:10:00Z"},
        {"R/PT10M", "fire-now", 1, "2026-01-01T13:10:05Z"},
        {"R/PT10M", "now-with-existing", 1, "2026-01-01T13:10:05Z"},
        {"R/PT10M", "now-with-remaining", 1, "2026-01-01T13:10:05Z"},
        {"R/PT10M", "next-with-remaining", 0, "2026-01-01T13:10:00Z"},
        {"R/PT10M", "next-with-existing", 0, "2026-01-01T13:10:00Z"},
        {"R9/PT10M", "smart", 1, "2026-01-01T13:10:05Z"},
        {"R9/PT10M", "ignore", 6, "2026-01-01T13:10:00Z"},
        {"R9/PT10M", "fire-now", 1, "2026-01-01T13:10:05Z"},
        {"R9/PT10M", "4", 0, "2026-01-01T13:10:00Z"},
        {"R3/PT10M", "smart", 1, "2026-01-01T13:10:05Z"},
        {"R3/PT10M", "ignore", 3, "none"},
        {"R3/PT10M", "now-with-remaining", 1, "none"},
        {"R3/PT10M", "next-with-remaining", 0, "none"},
        {"R3/PT10M", "next-with-existing", 0, "none"},
        {"R1/PT10M", "smart", 1, "none"},
        // Quartz's cron triggers.
        {"0 0/10 * * * ?", "", 1, "2026-01-01T13:10:00Z"},
        {"0 0/10 * * * ?", "smart", 1, "2026-01-01T13:10:00Z"},
        {"0 0/10 * * * ?", "fire-once-now", 1, "2026-01-01T13:10:00Z"},
        {"0 0/10 * * * ?", "do-nothing", 0, "2026-01-01T13:10:00Z"},
        {"0 0/10 * * * ?", "ignore", 6, "2026-01-01T13:10:00Z"},
        {"*/10 * * * *", "-1", 6, "2026-01-01T13:10:00Z"},
    };
    for (const Row& row : rows) {
        // The turn of 13:00 is 5 s late, which is no misfire: it is missed with the others.
        const Awake awake = wake_up(begun(a_series(row.repeat, row.misfire)), kNow + 1h + 5s);
        EXPECT_EQ(awake.fired, row.fired) << row.repeat << ' ' << row.misfire;
        EXPECT_EQ(awake.next, row.next) << row.repeat << ' ' << row.misfire;
    }
}

// R119
TEST_F(SeriesPlannerTest, What_is_late_within_the_threshold_is_no_misfire) {
    Series series = begun(a_series("0 0/10 * * * ?", "do-nothing"));
    EXPECT_TRUE(taken(series, kNow + 10min + 60s).fires);
    EXPECT_FALSE(taken(series, kNow + 10min + 60s + 1ms).fires);
    series.misfire_threshold = 5s;
    EXPECT_FALSE(taken(series, kNow + 10min + 6s).fires);
    series.misfire_threshold = 1h;
    EXPECT_TRUE(taken(series, kNow + 20min).fires);
}

TEST_F(SeriesPlannerTest, A_start_that_has_passed_is_missed_if_there_is_an_instruction) {
    const char* text = "R/2026-01-01T11:00:00Z/PT10M";
    EXPECT_EQ(text_of(begun(a_series(text)).next_fire), "2026-01-01T12:10:00Z");
    EXPECT_EQ(text_of(begun(a_series(text, "ignore")).next_fire), "2026-01-01T11:00:00Z");
    Series cron = a_series("0 0/10 * * * ?", "ignore");
    cron.start = kNow - 30min;
    EXPECT_EQ(begun(cron).next_fire, kNow - 30min);
}

TEST_F(SeriesPlannerTest, No_turn_is_due_after_the_end) {
    Series cron = a_series("0 0/10 * * * ?");
    cron.end = kNow + 20min;
    for (Series series :
         {a_series("R/PT10M/2026-01-01T12:20:00Z"),
          a_series("R/PT10M/2026-01-01T12:20:00Z", "smart"),
          cron}) {
        series = taken(begun(series), kNow + 10min).series;
        EXPECT_EQ(series.next_fire, kNow + 20min) << series.repeat;
        EXPECT_EQ(taken(series, kNow + 20min).next_due, std::nullopt) << series.repeat;
    }
}

TEST_F(SeriesPlannerTest, Zone_and_rule_for_changed_clocks_count) {
    Series series = a_series("0 30 2 * * ?");
    series.zone = "Europe/Berlin";
    const TimePoint before = at("2026-03-28T12:00Z");
    EXPECT_EQ(text_of(begun(series, {}, before).next_fire), "2026-03-30T00:30:00Z");
    series.dst_rule = "run-once";
    EXPECT_EQ(text_of(begun(series, {}, before).next_fire), "2026-03-29T01:00:00Z");
    series = a_series("R/2026-03-28T09:00:00/P1D");
    series.zone = "Europe/Berlin";
    series = begun(series, {}, at("2026-03-28T00:00Z"));
    EXPECT_EQ(text_of(series.next_fire), "2026-03-28T08:00:00Z");
    EXPECT_EQ(text_of(taken(series, *series.next_fire).next_due), "2026-03-29T07:00:00Z");
}

TEST_F(SeriesPlannerTest, The_zone_that_flowable_writes_behind_the_text_wins) {
    const Series series = begun(a_series("0 0 12 * * ? DSTZONE:America/New_York VER:2"));
    EXPECT_EQ(text_of(series.next_fire), "2026-01-01T17:00:00Z");
}

TEST_F(SeriesPlannerTest, Excluded_times_are_left_out) {
    // 2 January 2026 is a Friday.
    for (const char* text :
         {"0 0 9 * * ?", "R/2026-01-01T09:00:00Z/P1D", "R5/2026-01-01T09:00Z/P1D"}) {
        Series series = a_series(text);
        series.calendar = "workdays";
        series = begun(series, {}, at("2026-01-02T08:00Z"));
        EXPECT_EQ(text_of(series.next_fire), "2026-01-02T09:00:00Z") << text;
        const TimePoint now = *series.next_fire;
        EXPECT_EQ(text_of(taken(series, now).next_due), "2026-01-05T09:00:00Z") << text;
    }
}

TEST_F(SeriesPlannerTest, A_changed_calendar_moves_the_waiting_turn_but_not_one_that_is_due) {
    for (const char* text : {"0 0 9 * * ?", "R/2026-01-01T09:00:00Z/P1D"}) {
        Series series = begun(a_series(text), {}, at("2026-01-02T12:00Z"));
        EXPECT_EQ(text_of(series.next_fire), "2026-01-03T09:00:00Z") << text;
        series.calendar = "workdays";
        const auto due = [&](std::string_view now) {
            return text_of(
                planner.due_by_calendar(series, kCalendars, *series.next_fire, at(now)).value()
            );
        };
        EXPECT_EQ(due("2026-01-02T12:00Z"), "2026-01-05T09:00:00Z") << text;
        EXPECT_EQ(due("2026-01-03T09:00Z"), "2026-01-03T09:00:00Z") << text;
        series.calendar.clear();
        series.previous_fire = series.next_fire;  // It was taken early.
        EXPECT_EQ(due("2026-01-02T12:00Z"), "2026-01-04T09:00:00Z") << text;
    }
}

TEST_F(SeriesPlannerTest, What_is_wrong_is_said) {
    EXPECT_EQ(error_of(a_series("R3")), "2: expected '/' and a duration or a start");
    EXPECT_EQ(
        error_of(a_series("PT10M")),
        "0: this text does not repeat: expected a cycle (R3/PT10H), a cron text or times of each "
        "day (every 45m from 09:00 to 17:00); what is due once is a due date"
    );
    EXPECT_EQ(
        error_of(a_series("0 0 12 * * ?", "fire-now")),
        "0: the misfire instruction of a cron text, or of times of each day, must be smart, "
        "ignore, fire-once-now or do-nothing"
    );
    EXPECT_EQ(
        error_of(a_series("R/PT1H", "6")),
        "0: the misfire instruction of a cycle must be smart, ignore, fire-now, now-with-existing, "
        "now-with-remaining, next-with-remaining or next-with-existing"
    );
    EXPECT_EQ(
        error_of(a_series("R/P1D", "smart")),
        "0: with a misfire instruction the period must be exact: hours, minutes and seconds, such "
        "as PT24H"
    );
    EXPECT_EQ(error_of(a_series("0 0 0 31 2 ?")), "0: no turn would ever be due");
    EXPECT_EQ(
        error_of(a_series("R/2025-01-01T00:00Z/PT1H/2025-02-01T00:00Z")),
        "0: no turn would ever be due"
    );
    Series series = a_series("R/PT1H");
    series.zone = "Europe/Berlni";
    EXPECT_NE(error_of(series), "none");
    series = a_series("R/PT1H");
    series.calendar = "holidays";
    EXPECT_EQ(error_of(series), "0: there is no calendar \"holidays\"");
    series = a_series("0 0 12 * * ?");
    series.dst_rule = "never";
    EXPECT_EQ(error_of(series), "0: the rule for changed clocks must be quartz or run-once");
}

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
