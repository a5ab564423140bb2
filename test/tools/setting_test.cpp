#include "executor/executor_settings.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings_file.hpp"
#include "tools/settings/settings_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace jobstrand::cli {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Setting
a_setting(Unit unit, SettingPlace field, std::int64_t least = 0, std::int64_t most = kMost) {
    return {.name = "x", .field = field, .unit = unit, .least = least, .most = most, .meaning = ""};
}

const Setting kFlag = a_setting(Unit::flag, [](Settings& s) -> bool& { return s.executor_active; });
const Setting kText = a_setting(
    Unit::text,
    [](Settings& s) -> std::string& { return s.database_url; },
    0,
    8
);
const Setting kCount = a_setting(
    Unit::count,
    [](Settings& s) -> std::size_t& { return s.executor.acquire_page; },
    1,
    1000
);
const Setting kTime = a_setting(
    Unit::milliseconds,
    [](Settings& s) -> schema::Duration& { return s.executor.queue_full_wait; },
    10,
    60'000
);
const Setting kLevel =
    a_setting(Unit::text, [](Settings& s) -> schema::LogLevel& { return s.log_level; });
const Setting kFormat =
    a_setting(Unit::text, [](Settings& s) -> LogFormat& { return s.log_format; });

/// The text of a setting after an assignment, or what the value must be.
std::string assigned(const Setting& setting, const SettingValue& value, Unit unit) {
    Settings settings;
    const auto refusal = assign(settings, setting, unit, value);
    return refusal ? *refusal : text_of(settings, setting);
}

std::string assigned(const Setting& setting, const SettingValue& value) {
    return assigned(setting, value, setting.unit);
}

TEST(Setting, A_flag_is_true_or_false_also_as_a_text) {
    EXPECT_EQ(assigned(kFlag, false), "false");
    EXPECT_EQ(assigned(kFlag, "false"), "false");
    EXPECT_EQ(assigned(kFlag, "true"), "true");
    for (const SettingValue& value :
         {SettingValue(std::string("yes")), SettingValue(std::int64_t{1}), SettingValue(1.0)}) {
        EXPECT_EQ(assigned(kFlag, value), "must be true or false") << text_of(value);
    }
}

TEST(Setting, A_number_is_whole_and_within_its_range) {
    EXPECT_EQ(assigned(kCount, std::int64_t{1}), "1");
    EXPECT_EQ(assigned(kCount, std::int64_t{1000}), "1000");
    for (const SettingValue& value :
         {SettingValue(std::int64_t{0}),
          SettingValue(std::int64_t{1001}),
          SettingValue(1.5),
          SettingValue(std::string("8")),
          SettingValue(true),
          SettingValue(std::int64_t{-1})}) {
        EXPECT_EQ(assigned(kCount, value), "must be a whole number, 1 to 1000") << text_of(value);
    }
}

TEST(Setting, A_bare_number_of_a_duration_has_the_unit_of_the_name_that_was_used) {
    EXPECT_EQ(assigned(kTime, std::int64_t{1500}, Unit::milliseconds), "PT1.5S");
    EXPECT_EQ(assigned(kTime, std::int64_t{15}, Unit::seconds), "PT15S");
    EXPECT_EQ(assigned(kTime, "PT15S", Unit::seconds), "PT15S");
    EXPECT_EQ(
        assigned(kTime, std::int64_t{61}, Unit::seconds),
        "must be seconds or an ISO 8601 duration such as \"PT10S\", PT0.01S to PT1M"
    );
}

TEST(Setting, A_duration_is_refused_that_is_none_or_too_long_to_count) {
    for (const SettingValue& value :
         {SettingValue(std::string("15")),
          SettingValue(std::string("PT")),
          SettingValue(std::string("P1M")),
          SettingValue(1.5),
          SettingValue(std::int64_t{-1}),
          SettingValue(kMost),
          SettingValue(std::string("PT2M"))}) {
        EXPECT_TRUE(assigned(kTime, value).starts_with("must be milliseconds")) << text_of(value);
        EXPECT_TRUE(assigned(kTime, value, Unit::seconds).starts_with("must be seconds"));
    }
}

TEST(Setting, A_text_has_a_longest_length_and_may_have_rules_of_its_own) {
    EXPECT_EQ(assigned(kText, "sqlite:x"), "sqlite:x");
    EXPECT_EQ(assigned(kText, "sqlite:xy"), "must have at most 8 characters");
    EXPECT_EQ(assigned(kText, std::int64_t{5}), "must be a text");
    Setting with_rule = kText;
    with_rule.problem_of_text = [](std::string_view text) {
        return text.empty() ? std::string("must not be empty") : std::string();
    };
    EXPECT_EQ(assigned(with_rule, ""), "must not be empty");
    EXPECT_EQ(assigned(with_rule, "a"), "a");
}

TEST(Setting, Names_are_those_of_the_documentation) {
    for (const char* level : {"debug", "info", "warn", "error"}) {
        EXPECT_EQ(assigned(kLevel, level), level);
    }
    EXPECT_EQ(assigned(kLevel, "INFO"), "must be debug, info, warn or error");
    EXPECT_EQ(assigned(kLevel, true), "must be debug, info, warn or error");
    EXPECT_EQ(assigned(kFormat, "json"), "json");
    EXPECT_EQ(assigned(kFormat, "xml"), "must be text or json");
}

TEST(Setting, What_has_no_effect_is_checked_all_the_same) {
    EXPECT_EQ(assigned(a_setting(Unit::flag, std::monostate{}), true), "");
    EXPECT_EQ(assigned(a_setting(Unit::flag, std::monostate{}), "no"), "must be true or false");
    EXPECT_EQ(assigned(a_setting(Unit::text, std::monostate{}), "x"), "");
    EXPECT_EQ(
        assigned(a_setting(Unit::count, std::monostate{}, 1, 2), "x"),
        "must be a whole number, 1 to 2"
    );
    EXPECT_EQ(assigned(a_setting(Unit::seconds, std::monostate{}, 0, 1000), std::int64_t{1}), "");
    EXPECT_TRUE(assigned(a_setting(Unit::seconds, std::monostate{}, 0, 1000), std::int64_t{2})
                    .starts_with("must be seconds"));
}

TEST(Setting, A_value_that_is_refused_leaves_the_settings_as_they_are) {
    Settings settings;
    settings.executor.acquire_page = 77;
    EXPECT_TRUE(assign(settings, kCount, Unit::count, std::int64_t{0}));
    EXPECT_EQ(settings.executor.acquire_page, 77U);
}

TEST(Setting, Tells_its_legal_values) {
    EXPECT_EQ(legal_values_of(kFlag), "true, false");
    EXPECT_EQ(legal_values_of(kText), "text");
    EXPECT_EQ(legal_values_of(kCount), "1 to 1000");
    EXPECT_EQ(legal_values_of(kTime), "ms or ISO 8601, PT0.01S to PT1M");
}

TEST(SettingValue, Is_shown_as_it_was_written_without_control_characters) {
    EXPECT_EQ(text_of(SettingValue(true)), "true");
    EXPECT_EQ(text_of(SettingValue(std::int64_t{-3})), "-3");
    EXPECT_EQ(text_of(SettingValue(1.5)), "1.5");
    EXPECT_EQ(text_of(SettingValue(std::string("a"))), "\"a\"");
    EXPECT_EQ(text_of(SettingValue(std::string("\x1b[31m"))).find('\x1b'), std::string::npos);
}

TEST(SettingTable, Every_name_stands_for_one_thing) {
    std::set<std::string_view> seen;
    for (const std::string_view name : known_names()) {
        EXPECT_TRUE(seen.insert(name).second) << name;
    }
}

TEST(SettingTable, Every_row_says_what_it_means) {
    for (const Setting* setting : all_settings()) {
        EXPECT_TRUE(setting->meaning.ends_with('.')) << setting->name;
        EXPECT_EQ(setting->meaning.find('|'), std::string_view::npos) << setting->name;
    }
}

TEST(SettingTable, Every_default_is_a_value_that_the_table_accepts) {
    for (const Setting* setting : all_settings()) {
        const Settings defaults;
        const std::string text = text_of(defaults, *setting);
        if (text.empty()) {
            continue;
        }
        SettingValue value = text;
        if (setting->unit == Unit::count) {
            value = std::int64_t{std::stoll(text)};
        }
        Settings settings;
        EXPECT_EQ(assign(settings, *setting, setting->unit, value), std::nullopt) << setting->name;
    }
}

TEST(SettingTable, The_ends_of_every_range_pass_the_executors_own_check) {
    for (const Setting& setting : executor_settings()) {
        if (setting.unit == Unit::text || setting.unit == Unit::flag) {
            continue;
        }
        for (const std::int64_t end : {setting.least, setting.most}) {
            Settings settings;
            settings.executor.core_pool_size = 1;
            settings.executor.max_pool_size = 1000;
            const std::int64_t value = setting.unit == Unit::seconds ? end / 1000 : end;
            ASSERT_EQ(assign(settings, setting, setting.unit, value), std::nullopt) << setting.name;
            if (setting.name != "corePoolSize" && setting.name != "maxPoolSize") {
                EXPECT_TRUE(executor::validate(settings.executor).empty())
                    << setting.name << " = " << end;
            }
        }
    }
}

struct UnitCase {
    const char* name;
    std::int64_t number;
    schema::Duration expected;
    schema::Duration executor::ExecutorSettings::*field;
};

TEST(SettingTable, A_bare_number_has_the_unit_of_the_guide_that_the_name_comes_from) {
    using executor::ExecutorSettings;
    const UnitCase cases[] = {
        {"asyncExecutorThreadKeepAliveTime", 5000, 5s, &ExecutorSettings::keep_alive},
        {"asyncExecutorSecondsToWaitOnShutdown", 60, 60s, &ExecutorSettings::shutdown_wait},
        {"awaitTerminationPeriod", 60, 60ms, &ExecutorSettings::shutdown_wait},
        {"lockTimeInMillis", 300'000, 5min, &ExecutorSettings::lock_time},
        {"asyncExecutorDefaultQueueSizeFullWaitTime", 0, 0ms, &ExecutorSettings::queue_full_wait},
    };
    for (const UnitCase& test : cases) {
        const NamedSetting named = find_setting(test.name);
        ASSERT_NE(named.setting, nullptr) << test.name;
        Settings settings;
        ASSERT_EQ(assign(settings, *named.setting, named.unit, test.number), std::nullopt);
        EXPECT_EQ(settings.executor.*test.field, test.expected) << test.name;
    }
}

// Names of the Flowable user guide, R162 to R176, and of Camunda's.
TEST(SettingTable, The_names_of_the_guides_are_known) {
    const char* names[] = {
        "asyncExecutorThreadPoolQueueSize",             // R162
        "asyncExecutorCorePoolSize",                    // R163
        "asyncExecutorMaxPoolSize",                     // R164
        "asyncExecutorThreadKeepAliveTime",             // R165
        "asyncExecutorNumberOfRetries",                 // R166
        "asyncExecutorMaxTimerJobsPerAcquisition",      // R167
        "asyncExecutorMaxAsyncJobsDuePerAcquisition",   // R168
        "asyncExecutorDefaultTimerJobAcquireWaitTime",  // R169
        "asyncExecutorDefaultAsyncJobAcquireWaitTime",  // R170
        "asyncExecutorDefaultQueueSizeFullWaitTime",    // R171
        "asyncExecutorTimerLockTimeInMillis",           // R172
        "asyncExecutorAsyncJobLockTimeInMillis",        // R173
        "asyncExecutorSecondsToWaitOnShutdown",         // R174
        "asyncExecutorResetExpiredJobsInterval",        // R175
        "asyncExecutorResetExpiredJobsPageSize",        // R176
        "asyncFailedJobWaitTime",                       // R109
        "defaultFailedJobWaitTime",                     // R109
        "failedJobRetryTimeCycle",                      // R068
        "asyncExecutorActivate",
        "jobExecutorActivate",  // R004
        "databaseSchemaUpdate",
        "maxJobsPerAcquisition",
        "waitTimeInMillis",  // R057
        "maxWait",           // R058
        "lockTimeInMillis",
        "queueSize",
        "corePoolSize",
        "maxPoolSize",
        "keepAliveTime",
        "defaultNumberOfRetries",
        "idleWaitTime",                     // R115
        "batchTriggerAcquisitionMaxCount",  // R117
    };
    for (const char* name : names) {
        EXPECT_NE(find_setting(name).setting, nullptr) << name;
    }
}

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

TEST(SettingsText, A_table_may_have_an_empty_name) {
    const SettingsFile first = read_settings(
        "[commands.\"\"]\nprogram = \"/bin/true\"\n[commands.b]\nprogram = \"/bin/false\"\n",
        "first"
    );
    ASSERT_THAT(first.problems, IsEmpty());
    const SettingsFile second = read_settings(settings_as_toml(first.settings), "second");
    EXPECT_THAT(second.problems, IsEmpty());
    EXPECT_EQ(second.settings.commands, first.settings.commands);
    EXPECT_THAT(settings_as_json(first.settings), HasSubstr(R"("commands":{"":{"program":)"));
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
