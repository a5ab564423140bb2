#include "tools/settings/settings_text.hpp"

#include "tools/settings/settings_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace jobstrand::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(SettingsText, What_is_shown_can_be_read_again_and_means_the_same) {
    const std::string toml = R"(
        db = "sqlite:a \"b\".db"
        preset = "camunda-7"
        failedJobRetryTimeCycle = "PT1S,PT5S"
        [commands."odd name"]
        program = "/bin/sh"
        args = ["-c", "echo \"$1\"\n"]
        environment = { A = "" }
        [targets.shop]
        url = "https://shop/jobs"
        secretFile = "/secret"
        caFile = "/ca.pem"
        timeLimit = 5000
        calls = 7
        retryStatuses = [404, 418]
        waitsUseRetries = true
        callbackWithin = "PT10M"
        headers = { A = "" }
    )";
    const SettingsFile first = read_settings(toml, "first");
    ASSERT_THAT(first.problems, IsEmpty());
    const SettingsFile second = read_settings(settings_as_toml(first.settings), "second");
    EXPECT_THAT(second.problems, IsEmpty());
    EXPECT_EQ(settings_as_toml(second.settings), settings_as_toml(first.settings));
    EXPECT_EQ(second.settings.commands, first.settings.commands);
    EXPECT_EQ(second.settings.targets, first.settings.targets);
}

TEST(SettingsText, The_password_is_not_shown) {
    Settings settings;
    settings.database_url = "mysql://jobs:s3cret@localhost:3306/jobs";
    EXPECT_THAT(settings_as_toml(settings), Not(HasSubstr("s3cret")));
    EXPECT_THAT(settings_as_toml(settings), HasSubstr("jobs:***@localhost"));
}

TEST(SettingsText, What_a_program_gets_in_its_environment_is_not_shown) {
    const SettingsFile file = read_settings(
        "[commands.a]\nprogram = \"/bin/true\"\nenvironment = { TOKEN = \"s3cret\" }\n", "file"
    );
    ASSERT_THAT(file.problems, IsEmpty());
    EXPECT_THAT(settings_as_toml(file.settings), HasSubstr("environment.\"TOKEN\" = \"***\""));
}

TEST(SettingsText, What_an_app_gets_in_its_headers_is_not_shown) {
    const SettingsFile file = read_settings(
        "[targets.a]\nurl = \"http://a\"\nheaders = { Authorization = \"s3cret\" }\n", "file"
    );
    ASSERT_THAT(file.problems, IsEmpty());
    EXPECT_THAT(settings_as_toml(file.settings), HasSubstr("headers.\"Authorization\" = \"***\""));
    EXPECT_THAT(settings_as_json(file.settings), Not(HasSubstr("s3cret")));
}

TEST(SettingsText, The_documentation_has_the_tables_that_the_program_prints) {
    std::ifstream file(JOBSTRAND_SOURCE_DIR "/docs/configuration.md");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_THAT(text.str(), HasSubstr(settings_as_markdown()))
        << "write the output of `jobstrand config docs` into docs/configuration.md";
}

}  // namespace
}  // namespace jobstrand::cli
