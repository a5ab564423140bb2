#include "timers/series/series_rules.hpp"

#include "test/timers/times.hpp"
#include "timers/series/series_problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

using schema::Series;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Series a_series_of(std::string repeat) {
    Series series;
    series.key = "s";
    series.handler_type = "mail";
    series.repeat = std::move(repeat);
    return series;
}

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
    EXPECT_EQ(kind_of(a_series_of("0 0 12 * * ?")), "cron UTC");
    EXPECT_EQ(kind_of(a_series_of("*/5 * * * *")), "cron UTC");
    EXPECT_EQ(kind_of(a_series_of("R3/PT1H")), "grid UTC");
    Series series = a_series_of("R3/PT1H");
    series.misfire = "smart";
    EXPECT_EQ(kind_of(series), "simple UTC") << "an instruction makes it Quartz's simple trigger";
}

TEST(SeriesRules, The_tags_that_Flowable_writes_behind_a_text_are_read_in_any_order) {
    for (const char* text :
         {"R/PT1H DSTZONE:Europe/Berlin",
          "R/PT1H DSTZONE:Europe/Berlin VER:2",
          "R/PT1H VER:2 DSTZONE:Europe/Berlin",
          "R/PT1H  DSTZONE:Europe/Berlin"}) {
        EXPECT_EQ(kind_of(a_series_of(text)), "grid Europe/Berlin") << text;
    }
    EXPECT_EQ(kind_of(a_series_of("0 0 12 * * ? DSTZONE:Asia/Tokyo VER:1")), "cron Asia/Tokyo");
    EXPECT_EQ(kind_of(a_series_of("R/PT1H VER:2")), "grid UTC");
}

TEST(SeriesRules, The_zone_of_a_tag_wins_and_must_exist) {
    Series series = a_series_of("R/PT1H DSTZONE:Asia/Tokyo");
    series.zone = "Europe/Berlin";
    EXPECT_EQ(kind_of(series), "grid Asia/Tokyo");
    series.repeat = "R/PT1H DSTZONE:Asia/Tokio";
    EXPECT_THAT(kind_of(series), HasSubstr("Asia/Tokio"));
}

TEST(SeriesRules, A_calendar_comes_with_all_that_it_is_based_on) {
    Series series = a_series_of("R/PT1H");
    series.calendar = "office";
    const schema::CalendarTexts calendars{
        {"office", "based on week; holidays 2026-12-25"}, {"week", "weekly SAT SUN"}};
    const auto rules = read_rules(series, calendars);
    ASSERT_TRUE(rules);
    ASSERT_NE(rules.value().calendar_or_null(), nullptr);
    EXPECT_EQ(rules.value().calendar_or_null()->exclusions.size(), 2U);
    EXPECT_EQ(read_rules(a_series_of("R/PT1H"), calendars).value().calendar_or_null(), nullptr);
}

TEST(SeriesRules, The_cycle_of_a_series_is_known_without_its_tags) {
    EXPECT_EQ(
        to_text(cycle_in(a_series_of("R3/PT1H DSTZONE:Asia/Tokyo VER:1")).value()), "R3/PT1H"
    );
    EXPECT_FALSE(cycle_in(a_series_of("0 0 12 * * ?")));
    EXPECT_FALSE(cycle_in(a_series_of("R3/")));
    EXPECT_FALSE(cycle_in(a_series_of("PT1H")));
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
    EXPECT_THAT(problems(a_series_of("R3/PT1H")), IsEmpty());
    EXPECT_THAT(problems(a_series_of("0 0 12 * * ?")), IsEmpty());
    first_due_ = kNow;
    EXPECT_THAT(problems(a_series_of("R3/PT1H")), IsEmpty());
}

TEST_F(SeriesProblems, Every_field_that_is_wrong_is_named) {
    Series series = a_series_of("R3/PT1H");
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
    Series series = a_series_of("0 0 0 31 2 ?");
    EXPECT_THAT(problems(series), ElementsAre("no turn would ever be due"));
    series.zone = "Mars/Olympus";
    EXPECT_THAT(problems(series), ElementsAre(testing::StartsWith("zone: ")));
}

TEST_F(SeriesProblems, A_calendar_that_excludes_every_turn_is_a_problem) {
    Series series = a_series_of("0 0 12 * * ?");
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

}  // namespace
}  // namespace jobstrand::timers
