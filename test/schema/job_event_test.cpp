#include "schema/job_events.hpp"
#include "schema/text/time_text.hpp"

#include <gtest/gtest.h>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

using schema::DayWindow;
using schema::is_logged;
using schema::JobEvent;
using schema::JobLogLevel;
using schema::parse_time_of_day;

TEST(JobEvents, Each_level_and_event_has_a_name_that_is_read_again) {
    for (const JobEvent event : schema::kJobEvents) {
        EXPECT_EQ(schema::job_event_of(name_of(event)), event);
    }
    for (const JobLogLevel level : schema::kJobLogLevels) {
        EXPECT_EQ(schema::job_log_level_of(name_of(level)), level);
    }
    EXPECT_EQ(schema::job_event_of("lost"), std::nullopt);
    EXPECT_EQ(schema::job_log_level_of("all"), std::nullopt);
}

TEST(JobEvents, Success_costs_nothing_unless_all_is_logged) {
    for (const JobEvent event : schema::kJobEvents) {
        EXPECT_FALSE(is_logged(event, JobLogLevel::none));
        EXPECT_TRUE(is_logged(event, JobLogLevel::full));
    }
    EXPECT_FALSE(is_logged(JobEvent::succeeded, JobLogLevel::failures));
    EXPECT_FALSE(is_logged(JobEvent::created, JobLogLevel::failures));
    EXPECT_TRUE(is_logged(JobEvent::failed, JobLogLevel::failures));
}

TEST(DayWindows, Times_of_the_day_are_read_with_and_without_an_offset) {
    EXPECT_EQ(parse_time_of_day("20:15"), 20h + 15min);
    EXPECT_EQ(parse_time_of_day("00:30Z"), 30min);
    EXPECT_EQ(parse_time_of_day("01:00+0200"), 23h);
    EXPECT_EQ(parse_time_of_day("23:00-02:30"), 1h + 30min);
    for (const std::string_view text :
         {"",
          "8:00",
          "24:00",
          "20:60",
          "20:00 ",
          "20:00+2",
          "20:00+02:0",
          "20-00",
          "-1:00",
          "20:00x"}) {
        EXPECT_EQ(parse_time_of_day(text), std::nullopt) << text;
    }
}

TEST(DayWindows, One_may_go_over_midnight_and_none_is_all_day) {
    const schema::TimePoint midnight{};
    const DayWindow night = DayWindow::of("22:00", "02:00").value();
    EXPECT_FALSE(night.contains(midnight + 21h));
    EXPECT_EQ(night.wait_at(midnight + 21h), 1h);
    EXPECT_TRUE(night.contains(midnight + 22h));
    EXPECT_TRUE(night.contains(midnight + 25h));
    EXPECT_FALSE(night.contains(midnight + 26h));
    EXPECT_TRUE(DayWindow().contains(midnight + 5h));
    EXPECT_FALSE(DayWindow::of("22:00", ""));
}

}  // namespace

}  // namespace jobstrand::test
