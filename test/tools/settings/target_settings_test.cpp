#include "tools/settings/settings_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TargetSettings, Targets_have_a_url_and_optional_details) {
    const SettingsFile file = read_settings(
        R"(
        [targets.shop]
        url = "https://shop.example/jobs"
        secretFile = "/etc/shop.secret"
        timeLimit = "PT5S"
        calls = 1000
        retryStatuses = [404]
        callbackWithin = "PT10M"
        headers = { Authorization = "Bearer x" }

        [targets.plain]
        url = "http://127.0.0.1:8080"
    )",
        "file"
    );
    ASSERT_THAT(file.problems, IsEmpty());
    const Settings& settings = file.settings;
    const TargetSettings shop = settings.targets.at("shop");
    EXPECT_EQ(shop.url, "https://shop.example/jobs");
    EXPECT_EQ(shop.secret_file, "/etc/shop.secret");
    EXPECT_EQ(shop.time_limit, 5s);
    EXPECT_EQ(shop.calls, 1000U);
    EXPECT_THAT(shop.retry_statuses, ElementsAre(404));
    EXPECT_EQ(shop.call_back_within, 10min);
    EXPECT_EQ(shop.headers.at("Authorization"), "Bearer x");
    EXPECT_EQ(settings.targets.at("plain"), TargetSettings{.url = "http://127.0.0.1:8080"});
}

TEST(FlowableSettings, Name_engines_and_how_they_are_called) {
    const SettingsFile file = read_settings(
        R"(
        [flowable]
        engines = ["http://a:8080/process-api", "https://b/process-api"]
        user = "rest-admin"
        passwordFile = "/etc/flowable.password"
        timeLimit = "PT1H"
        calls = 8
        handlerTypes = ["my-handler"]
    )",
        "file"
    );
    ASSERT_THAT(file.problems, IsEmpty());
    const FlowableSettings& flowable = file.settings.flowable;
    EXPECT_THAT(
        flowable.engines, ElementsAre("http://a:8080/process-api", "https://b/process-api")
    );
    EXPECT_EQ(flowable.user, "rest-admin");
    EXPECT_EQ(flowable.time_limit, 1h);
    EXPECT_EQ(flowable.calls, 8U);
    EXPECT_THAT(flowable.handler_types, ElementsAre("my-handler"));
}

TEST(FlowableSettings, Every_mistake_is_told) {
    const std::pair<const char*, const char*> cases[] = {
        {"flowable = 5", "must be a table: [flowable]"},
        {"[flowable]\ncalls = 5", "needs engines"},
        {"[flowable]\nengines = []", "engines must be 1 to 100 URLs"},
        {"[flowable]\nengines = [\"shop\"]", "engines: shop must begin with http"},
        {"[flowable]\nengines = [\"http://x/y?z\"]", "has a query"},
        {"[flowable]\nengines = [\"http://x\"]\nuser = \"u\"", "user and passwordFile"},
        {"[flowable]\nengines = [\"http://x\"]\ncalls = 0", "calls must be 1 to"},
        {"[flowable]\nengines = [\"http://x\"]\nhandlerTypes = 5", "handlerTypes must be a list"},
        {"[flowable]\nengines = [\"http://x\"]\nengine = 5", "there is no key engine"},
    };
    for (const auto& [toml, message] : cases) {
        const SettingsFile file = read_settings(toml, "file");
        std::string problems;
        for (const auto& problem : file.problems) {
            problems += problem;
        }
        EXPECT_THAT(problems, HasSubstr(message)) << toml;
    }
}

struct BadTarget {
    const char* toml;
    const char* message;
};

TEST(TargetSettings, Every_mistake_is_told) {
    const BadTarget cases[] = {
        {"targets = 5", "targets must be tables"},
        {"[targets]\nx = 5", "[targets.x] must be a table"},
        {"[targets.x]\ncalls = 5", "[targets.x] needs url"},
        {"[targets.x]\nurl = \"shop\"", "url must begin with http"},
        {"[targets.x]\nurl = 5", "url must begin with http"},
        {"[targets.x]\nurl = \"http://x\"\nsecretFile = \"secret\"",
         "secretFile must be an absolute"},
        {"[targets.x]\nurl = \"http://x\"\ncaFile = 1", "caFile must be an absolute path"},
        {"[targets.x]\nurl = \"http://x\"\ntimeLimit = \"P2D\"", "PT0.001S to PT24H"},
        {"[targets.x]\nurl = \"http://x\"\ncalls = 0", "calls must be 1 to 100000"},
        {"[targets.x]\nurl = \"http://x\"\nretryStatuses = [500]", "from 400 to 499"},
        {"[targets.x]\nurl = \"http://x\"\nwaitsUseRetries = 1", "waitsUseRetries must be true or"},
        {"[targets.x]\nurl = \"http://x\"\ncallbackWithin = \"P2D\"", "PT0.001S to PT24H"},
        {"[targets.x]\nurl = \"http://x\"\nheaders = { Host = \"y\" }",
         "is set by Jobstrand itself"},
        {"[targets.x]\nurl = \"http://x\"\nheaders = { Webhook-Id = \"y\" }",
         "is set by Jobstrand"},
        {"[targets.x]\nurl = \"http://x\"\nheaders = { \"a b\" = \"y\" }", "no header can have"},
        {"[targets.x]\nurl = \"http://x\"\nheaders = { A = \"y\\r\\nB: z\" }", "visible ASCII"},
        {"[targets.x]\nurll = \"http://x\"", "did you mean url?"},
    };
    for (const BadTarget& test : cases) {
        const SettingsFile file = read_settings(test.toml, "file");
        EXPECT_THAT(file.problems, Contains(HasSubstr(test.message))) << test.toml;
        EXPECT_THAT(file.settings.targets, IsEmpty()) << test.toml;
    }
}

}  // namespace
}  // namespace jobstrand::cli
