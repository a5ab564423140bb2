#include "schema/text/time_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;

std::string read(std::string_view text) {
    const auto duration = parse_exact_duration(text);
    return duration ? format_duration(duration.value())
                    : std::to_string(duration.error().position) + ": " + duration.error().message;
}

TEST(SpokenDuration, Is_read_as_people_write_it) {
    const std::pair<const char*, const char*> cases[]{
        {"5m", "PT5M"},
        {"500ms", "PT0.5S"},
        {"1h30m", "PT1H30M"},
        {"1h 30m", "PT1H30M"},
        {"1 hour 30 minutes", "PT1H30M"},
        {"90 min", "PT1H30M"},
        {"1.5s", "PT1.5S"},
        {"2d", "PT48H"},
        {"1 week", "PT168H"},
        {"1w2d3h4m5s6ms", "PT219H4M5.006S"},
        {"0s", "PT0S"},
        {"PT5M", "PT5M"},
        {"P1DT12H", "PT36H"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(read(text), expected) << text;
    }
}

TEST(SpokenDuration, Keeps_days_apart_from_hours) {
    const auto days = parse_spoken_duration("1w 1d 2h");
    ASSERT_TRUE(days);
    EXPECT_EQ(days.value(), (IsoDuration{.days = 8, .time = 2h}));
}

TEST(SpokenDuration, Says_what_is_wrong_and_where) {
    const std::string order = "expected w, d, h, m, s or ms, each once and in this order";
    const std::string unit = "a number without a unit: write 5s, 5m or 5h";
    const std::pair<const char*, std::string> cases[]{
        {"", "0: expected a duration such as 5m, 1h30m or PT5M"},
        {"5", "0: " + unit},
        {"1h 30", "3: " + unit},
        {"5x", "1: " + order},
        {"5M", "0: " + unit},
        {"30m1h", "4: " + order},
        {"5m5m", "3: " + order},
        {"-5m", "0: expected a duration such as 5m, 1h30m or PT5M"},
        {"1.5h", "1: only seconds may have a fraction"},
        {"5m and more", "3: expected a duration such as 5m, 1h30m or PT5M"},
        {"9999999w", "0: the duration is longer than 1,000 years"},
        {"999999999999999999999ms", "0: the duration is longer than 1,000 years"},
        {"P1M", "0: years and months have no fixed length; use days"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(read(text), expected) << text;
    }
}

}  // namespace
}  // namespace jobstrand::schema
