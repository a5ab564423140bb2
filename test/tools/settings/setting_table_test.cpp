#include "tools/settings/setting_table.hpp"

#include "executor/executor_settings.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <string_view>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

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

}  // namespace
}  // namespace jobstrand::cli
