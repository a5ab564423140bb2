#include "tools/settings/settings_file.hpp"
#include "tools/settings/settings_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Settings good_settings(const std::string& toml) {
    const SettingsFile file = read_settings(toml, "jobstrand.toml");
    EXPECT_THAT(file.problems, IsEmpty()) << toml;
    return file.settings;
}

TEST(DeadLetterSettings, What_is_done_with_dead_letters_is_off_and_may_be_configured) {
    EXPECT_FALSE(good_settings("").policies.retention.is_any());
    EXPECT_THAT(good_settings("").policies.requeues, IsEmpty());
    const Settings settings = good_settings(R"(
        deadLetterRetention = "P90D"
        deadLetterMaxRows = 100000
        [requeues.timeouts]
        handlerType = "mail"
        errorClass = "timeout"
        wait = "PT30M"
        until = "P2D"
        retries = 3
        spread = "PT10M"
        windowStart = "22:00"
        windowEnd = "06:00"
    )");
    EXPECT_EQ(settings.policies.retention.age, 90 * 24h);
    EXPECT_EQ(settings.policies.retention.rows, 100'000);
    const deadletter::RequeueRule expected{
        .name = "timeouts",
        .handler_type = "mail",
        .error_class = "timeout",
        .wait = 30min,
        .until = 48h,
        .retries = 3,
        .spread = 10min,
        .window_start = "22:00",
        .window_end = "06:00"};
    EXPECT_THAT(settings.policies.requeues, ElementsAre(expected));
    EXPECT_EQ(good_settings(settings_as_toml(settings)).policies.requeues, std::vector{expected})
        << "what config show prints is a configuration";
}

TEST(DeadLetterSettings, A_mistake_in_a_rule_for_dead_letters_names_its_table) {
    const auto problem = [](const std::string& keys) {
        const auto problems = read_settings("[requeues.a]\n" + keys, "jobstrand.toml").problems;
        return problems.empty() ? std::string() : problems.front();
    };
    EXPECT_THAT(problem("handlerType = \"mail\""), HasSubstr("[requeues.a] needs errorClass or"));
    EXPECT_THAT(problem("message = \"\""), HasSubstr("message must be a text of 1 to 255"));
    EXPECT_THAT(problem("errorclass = \"x\""), HasSubstr("did you mean errorClass?"));
    EXPECT_THAT(problem("message = \"x\"\nwait = \"P2Y\""), HasSubstr("wait must be"));
    EXPECT_THAT(problem("message = \"x\"\nretries = \"3\""), HasSubstr("retries must be 1 to"));
    EXPECT_THAT(
        problem("message = \"x\"\nwindowStart = \"22:00\""), HasSubstr("two times of the day")
    );
}

}  // namespace
}  // namespace jobstrand::cli
