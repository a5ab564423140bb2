#include "tools/settings/settings_file.hpp"

#include "test/fixtures/temporary_directory.hpp"
#include "tools/settings/settings_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace jobstrand::cli {

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

SettingsFile read_toml(const std::string& toml) {
    return read_settings(toml, "jobstrand.toml");
}

Settings good(const std::string& toml) {
    const SettingsFile file = read_toml(toml);
    EXPECT_THAT(file.problems, IsEmpty()) << toml;
    return file.settings;
}

TEST(SettingsFile, An_empty_file_leaves_every_default) {
    const Settings settings = good("# nothing yet\n");
    EXPECT_TRUE(settings.executor_active);  // R005
    EXPECT_TRUE(settings.update_schema);
    EXPECT_EQ(settings.executor.max_pool_size, 8U);
}

TEST(SettingsFile, Names_of_all_guides_fill_the_same_fields) {
    const Settings settings = good(R"(
        db = "sqlite:jobs.db"
        logLevel = "debug"
        logFormat = "json"
        asyncExecutorCorePoolSize = 4
        maxPoolSize = 16
        waitTimeInMillis = 20
        maxWait = "PT0.5S"
        asyncExecutorSecondsToWaitOnShutdown = 30
        asyncFailedJobWaitTime = 7
        failedJobRetryTimeCycle = "R5/PT5M"
        jobExecutorActivate = false
        databaseSchemaUpdate = "false"
    )");
    EXPECT_EQ(settings.database_url, "sqlite:jobs.db");
    EXPECT_EQ(settings.log_level, schema::LogLevel::debug);
    EXPECT_EQ(settings.log_format, LogFormat::json);
    EXPECT_EQ(settings.executor.core_pool_size, 4U);
    EXPECT_EQ(settings.executor.max_pool_size, 16U);
    EXPECT_EQ(settings.executor.acquire_first_wait, 20ms);
    EXPECT_EQ(settings.executor.acquire_wait, 500ms);
    EXPECT_EQ(settings.executor.shutdown_wait, 30s);
    EXPECT_EQ(settings.executor.retry.message_wait, 7s);
    EXPECT_EQ(settings.executor.retry.cycle->attempts, 5);  // R068
    EXPECT_FALSE(settings.executor_active);
    EXPECT_FALSE(settings.update_schema);
}

// R162 to R176.
TEST(SettingsFile, Preset_flowable_6_has_the_classic_values_of_the_guide) {
    const executor::ExecutorSettings settings = good("preset = \"flowable-6\"").executor;
    EXPECT_EQ(settings.queue_size, 100U);
    EXPECT_EQ(settings.core_pool_size, 2U);
    EXPECT_EQ(settings.max_pool_size, 10U);
    EXPECT_EQ(settings.keep_alive, 5000ms);
    EXPECT_EQ(settings.retry.default_attempts, 3);
    EXPECT_EQ(settings.timer_page, 1U);
    EXPECT_EQ(settings.acquire_page, 1U);
    EXPECT_EQ(settings.timer_wait, 10'000ms);
    EXPECT_EQ(settings.acquire_wait, 10'000ms);
    EXPECT_EQ(settings.queue_full_wait, 0ms);
    EXPECT_EQ(settings.lock_time, 5min);
    EXPECT_EQ(settings.shutdown_wait, 60s);
    EXPECT_EQ(settings.reset_interval, 60s);
    EXPECT_EQ(settings.reset_page, 3U);
    EXPECT_EQ(settings.retry.message_wait, 10s);
    EXPECT_EQ(settings.retry.timer_wait, 10s);
}

TEST(SettingsFile, Preset_camunda_7_has_its_executors_values) {
    const executor::ExecutorSettings settings = good("preset = \"camunda-7\"").executor;
    EXPECT_EQ(settings.acquire_page, 3U);
    EXPECT_EQ(settings.acquire_first_wait, 5s);
    EXPECT_EQ(settings.acquire_wait, 60s);  // R058
    EXPECT_EQ(settings.lock_time, 5min);
    EXPECT_EQ(settings.queue_size, 3U);
    EXPECT_EQ(settings.core_pool_size, 3U);
    EXPECT_EQ(settings.max_pool_size, 10U);
    EXPECT_EQ(settings.keep_alive, 0ms);
    EXPECT_EQ(settings.shutdown_wait, 60s);
    EXPECT_EQ(settings.retry.default_attempts, 3);  // R062
    EXPECT_EQ(settings.retry.message_wait, 0ms);    // R067
}

TEST(SettingsFile, What_is_written_out_wins_over_the_preset_wherever_it_stands) {
    const Settings settings = good("queueSize = 7\npreset = \"flowable-6\"\nmaxPoolSize = 11\n");
    EXPECT_EQ(settings.executor.queue_size, 7U);
    EXPECT_EQ(settings.executor.max_pool_size, 11U);
    EXPECT_EQ(settings.executor.core_pool_size, 2U);
}

TEST(SettingsFile, A_largest_pool_alone_lowers_the_core_that_was_not_written) {
    EXPECT_EQ(good("maxPoolSize = 4").executor.core_pool_size, 4U);
    EXPECT_EQ(good("maxPoolSize = 40").executor.core_pool_size, 8U);
    EXPECT_EQ(good("preset = \"camunda-7\"\nmaxPoolSize = 1").executor.core_pool_size, 1U);
    const SettingsFile both = read_settings("corePoolSize = 5\nmaxPoolSize = 4", "file");
    EXPECT_THAT(both.problems, Contains(HasSubstr("corePoolSize (5) must not be above")));
}

TEST(SettingsFile, A_certificate_and_its_key_need_each_other) {
    EXPECT_EQ(good("httpCertificateFile = 'c'\nhttpKeyFile = 'k'").http.key_file, "k");
}

TEST(SettingsFile, Databases_that_are_as_one_are_engines_of_the_file) {
    const std::string engines = "[engines.a]\ndb = 'sqlite:a'\n[engines.b]\ndb = 'sqlite:b'\n";
    const auto problems = [&engines](const std::string& top, const std::string& more = "") {
        return read_settings(top + "\n" + engines + more, "file").problems;
    };
    EXPECT_THAT(good("spreadOver = ['b', 'a']\n" + engines).spread_over, ElementsAre("b", "a"));
    EXPECT_THAT(problems("spreadOver = 'main,a'\ndb = 'sqlite:m'"), IsEmpty());
    EXPECT_THAT(
        problems("spreadOver = 'main,a'"),
        ElementsAre("file:1: spreadOver names main, but there is no [engines.main]")
    );
    EXPECT_THAT(
        problems("\nspreadOver = ['a', 'c']"),
        ElementsAre("file:2: spreadOver names c, but there is no [engines.c]")
    );
    EXPECT_THAT(
        problems("spreadOver = ['a']"), ElementsAre("file:1: spreadOver needs two engines at least")
    );
    EXPECT_THAT(
        problems("spreadOver = ['a', 'b', 'a']"), ElementsAre("file:1: spreadOver names a twice")
    );
    EXPECT_THAT(
        problems("spreadOver = ['a', 'b']", "httpTokenFile = 'others'"),
        ElementsAre("file:1: spreadOver needs one httpTokenFile for all its engines, and b has "
                    "another than a")
    );
    EXPECT_THAT(
        problems("spreadOver = ['a', 'b']", "httpHiddenMembers = 'cardNumber'"),
        ElementsAre("file:1: spreadOver needs the same httpHiddenMembers for all its engines, and "
                    "b has others than a")
    );
    EXPECT_THAT(
        problems("", "spreadOver = ['a', 'b']"),
        ElementsAre("file:6: [engines.b] spreadOver stands at the top of the file")
    );
}

TEST(SettingsFile, Commands_have_a_program_and_optional_details) {
    const Settings settings = good(R"(
        [commands.hash]
        program = "/usr/bin/sha256sum"
        args = ["--tag"]
        timeLimit = "PT5M"
        workingDirectory = "/tmp"
        environment = { LANG = "C" }

        [commands.plain]
        program = "/bin/true"
    )");
    const CommandSettings hash = settings.commands.at("hash");
    EXPECT_EQ(hash.program, "/usr/bin/sha256sum");
    EXPECT_THAT(hash.arguments, ElementsAre("--tag"));
    EXPECT_EQ(hash.time_limit, 5min);
    EXPECT_EQ(hash.working_directory, "/tmp");
    EXPECT_EQ(hash.environment.at("LANG"), "C");
    EXPECT_EQ(settings.commands.at("plain").time_limit, 60s);
}

struct BadFile {
    const char* toml;
    const char* message;
};

TEST(SettingsFile, Every_mistake_is_told_with_its_line_and_what_would_be_right) {
    const BadFile cases[] = {
        {"maxPolSize = 8",
         "jobstrand.toml:1: there is no setting maxPolSize; did you mean maxPoolSize?"},
        {"\nqueueSize = -1",
         "jobstrand.toml:2: queueSize = -1: must be a whole number, 1 to 100000"},
        {"queueSize = 1.5", "queueSize = 1.5: must be a whole number"},
        {"queueSize = \"8\"", "queueSize = \"8\": must be a whole number"},
        {"corePoolSize = 9\nmaxPoolSize = 4", "corePoolSize (9) must not be above maxPoolSize (4)"},
        {"keepAlive = \"5 seconds\"",
         "must be milliseconds or an ISO 8601 duration such as \"PT10S\""},
        {"keepAlive = \"-PT5S\"", "must be milliseconds or an ISO 8601 duration"},
        {"keepAlive = -1", "must be milliseconds or an ISO 8601 duration"},
        {"asyncExecutorSecondsToWaitOnShutdown = 9223372036854775807", "must be seconds or an ISO"},
        {"lockTimeInMillis = 1", "PT0.1S to PT24H"},
        {"failedJobRetryTimeCycle = \"R5\"", "must be a retry cycle such as \"R3/PT10S\""},
        {"logLevel = \"loud\"", "must be debug, info, warn or error"},
        {"logFormat = 1", "must be text or json"},
        {"databaseSchemaUpdate = \"create-drop\"", "must be true or false"},
        {"db = \"oracle:x\"", "must be a database URL"},
        {"preset = \"flowable-9\"", "preset must be \"flowable-6\" or \"camunda-7\""},
        {"queueSize = 5\nasyncExecutorThreadPoolQueueSize = 6",
         "queueSize and asyncExecutorThreadPoolQueueSize are two names of one setting"},
        {"createIncidentOnFailedJobEnabled = 1", "must be true or false"},  // R066
        {"jobLog = \"all\"", "must be none, failures or full"},
        {"lockGranularity = \"table\"", "must be row or page"},
        {"jobLogRetention = -1", "must be milliseconds or an ISO 8601 duration"},
        {"historyCleanupBatchWindowStartTime = \"25:00\"", "must be a time of the day"},
        {"historyCleanupBatchWindowStartTime = \"20:00\"", "must be two times of the day"},
        {"incidentTarget = \"ops\"", "there is no [targets.ops]"},
        {"priorityAging = 60000", "priorityAging needs acquireByPriority"},
        {"lockGranularity = \"page\"\ntenantsInTurn = true",
         "lockGranularity page goes with no order"},
        {"tenantsInTurn = true\nacquireByDueDate = true", "tenantsInTurn goes with no other order"},
        {"instancesTogether = true\nacquireByPriority = true",
         "instancesTogether goes with no other order"},
        {"acquireByPriority = true\npriorityAging = 1\npreferTimerJobs = true",
         "priorityAging and preferTimerJobs exclude each other"},
        {"priorityRangeMin = 1\njobExecutorPriorityRangeMax = 0",
         "priorityRangeMin (1) must not be above priorityRangeMax (0)"},
        {"jobExecutorDeploymentAware = true",
         "list the definitions whose code a process has in enabledDefinitions"},
        {"queueSize = 2026-11-20", "queueSize has a value of a kind that no setting takes"},
        {"[executor]\nqueueSize = 5", "there is no table [executor]"},
        {"queueSize = ", "jobstrand.toml:1: "},
        {"[commands.x]\nargs = []", "[commands.x] needs program"},
        {"[commands.x]\nprogram = \"sh\"", "program must be an absolute path"},
        {"[commands.x]\nprogram = \"/bin/sh\"\nargs = [1]", "args must be a list of texts"},
        {"[commands.x]\nprogram = \"/bin/sh\"\ntimeLimit = \"soon\"",
         "timeLimit must be milliseconds"},
        {"[commands.x]\nprogram = \"/bin/sh\"\ntimeLimit = 0", "timeLimit must be milliseconds"},
        {"[commands.x]\nprogram = \"/bin/sh\"\nworkingDirectory = \"here\"",
         "workingDirectory must be"},
        {"[commands.x]\nprogram = \"/bin/sh\"\nenvironment = { JOBSTRAND_JOB_ID = \"1\" }",
         "is set by Jobstrand itself"},
        {"[commands.x]\nprogram = \"/bin/sh\"\nenvironment = { A = 1 }",
         "environment.A must be a text"},
        {"[commands.x]\nprogramm = \"/bin/sh\"", "did you mean program?"},
        {"[commands.x]\nprogram = \"/bin/sh\"\nqueueSize = 5",
         "queueSize belongs at the top of the file"},
        {"commands = 5", "commands must be tables"},
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
        {"flowable = 5", "must be a table: [flowable]"},
        {"[flowable]\ncalls = 5", "needs engines"},
        {"[flowable]\nengines = []", "engines must be 1 to 100 URLs"},
        {"[flowable]\nengines = [\"shop\"]", "engines: shop must begin with http"},
        {"[flowable]\nengines = [\"http://x/y?z\"]", "has a query"},
        {"[flowable]\nengines = [\"http://x\"]\nuser = \"u\"", "user and passwordFile"},
        {"[flowable]\nengines = [\"http://x\"]\ncalls = 0", "calls must be 1 to"},
        {"[flowable]\nengines = [\"http://x\"]\nhandlerTypes = 5", "handlerTypes must be a list"},
        {"[flowable]\nengines = [\"http://x\"]\nengine = 5", "there is no key engine"},
        {"[requeues.a]\nhandlerType = \"mail\"", "[requeues.a] needs errorClass or"},
        {"[requeues.a]\nmessage = \"\"", "message must be a text of 1 to 255"},
        {"[requeues.a]\nerrorclass = \"x\"", "did you mean errorClass?"},
        {"[requeues.a]\nmessage = \"x\"\nwait = \"P2Y\"", "wait must be"},
        {"[requeues.a]\nmessage = \"x\"\nretries = \"3\"", "retries must be 1 to"},
        {"[requeues.a]\nmessage = \"x\"\nwindowStart = \"22:00\"", "two times of the day"},
        {"passwordFile = '/etc/p'\ndb = 'sqlite:a.db'",
         "passwordFile and db: the options of sqlite are"},
        {"db = 'mysql://a:geheim@h/d'\npasswordFile = '/etc/p'", "one password is enough"},
        {"db = 'mysql://a@h/d'\npasswordCommand = 'pass jobs'", "absolute path of a program"},
        {"httpCertificateFile = 'c'\n[engines.a]\ndb = 'sqlite:a'", "httpKeyFile need each other"},
        {"httpKeyFile = 'k'", "need each other"},
    };
    for (const BadFile& test : cases) {
        const SettingsFile file = read_toml(test.toml);
        EXPECT_THAT(file.problems, Contains(HasSubstr(test.message))) << test.toml;
        EXPECT_THAT(file.settings.targets, IsEmpty()) << test.toml;
    }
}

TEST(SettingsFile, All_mistakes_are_told_at_once_in_line_order) {
    const SettingsFile file = read_toml("queueSize = 0\nfoo = 1\n[commands.x]\nprogram = 5\n");
    EXPECT_THAT(
        file.problems,
        ElementsAre(
            HasSubstr("jobstrand.toml:1: queueSize"),
            HasSubstr("jobstrand.toml:2: there is no setting foo"),
            HasSubstr("jobstrand.toml:4: [commands.x] program")
        )
    );
}

TEST(SettingsFile, Two_names_with_one_value_are_no_mistake) {
    const Settings settings = good("queueSize = 5\nasyncExecutorThreadPoolQueueSize = 5\n");
    EXPECT_EQ(settings.executor.queue_size, 5U);
}

// R018
TEST(SettingsFile, Acquisition_by_priority_is_off_unless_asked_for) {
    EXPECT_FALSE(good("").executor.order.by_priority);
    EXPECT_TRUE(good("jobExecutorAcquireByPriority = true\n").executor.order.by_priority);
    EXPECT_TRUE(good("acquireByPriority = true\n").executor.order.by_priority);
}

// R046 R047 R048 R053
TEST(SettingsFile, The_orders_of_camunda_and_its_priority_ranges_have_its_names_and_ours) {
    const executor::ExecutorSettings unordered = good("").executor;
    EXPECT_EQ(unordered.order, schema::AcquisitionOrder{});
    EXPECT_TRUE(schema::has_all_priorities(unordered.scope));
    const executor::ExecutorSettings theirs = good(R"(
        jobExecutorPreferTimerJobs = true
        jobExecutorAcquireByDueDate = true
        jobExecutorPriorityRangeMin = -9223372036854775808
        jobExecutorPriorityRangeMax = -1
    )")
                                                  .executor;
    EXPECT_EQ(theirs.order, (schema::AcquisitionOrder{.timers_first = true, .by_due_date = true}));
    EXPECT_EQ(theirs.scope.priority_max, -1);
    const executor::ExecutorSettings ours =
        good("acquireByPriority = true\npriorityAging = \"PT1M\"\npriorityRangeMin = 5").executor;
    EXPECT_EQ(
        ours.order,
        (schema::AcquisitionOrder{.by_priority = true, .aging = std::chrono::minutes(1)})
    );
    EXPECT_EQ(ours.scope.priority_min, 5);
    EXPECT_TRUE(good("tenantsInTurn = true").executor.order.tenants_in_turn);
    EXPECT_TRUE(good("instancesTogether = true").executor.instances_together);
}

TEST(SettingsFile, A_feature_that_is_not_there_may_be_switched_off) {
    good(R"(
        waitIncreaseFactor = 2.0
        backoffTimeInMillis = 0
        asyncHistoryExecutorActivate = false
    )");
}

// R017 R036
TEST(SettingsFile, Jobs_without_priorities_and_due_dates_of_all_are_settings_of_camunda) {
    EXPECT_TRUE(good("").executor.prioritized_jobs);
    EXPECT_FALSE(good("producePrioritizedJobs = false").executor.prioritized_jobs);
    good("ensureJobDueDateNotNull = true");
    good("ensureJobDueDateNotNull = false");
}

// R100 R102
TEST(SettingsFile, A_process_may_be_limited_to_some_jobs) {
    const schema::ServedScope scope = good(R"(
        enabledJobCategories = ["", "mail"]
        asyncExecutorTenantId = "acme"
        enabledDefinitions = ["invoice:1:17", "order:3:18"]
    )")
                                          .executor.scope;
    EXPECT_THAT(scope.categories, ElementsAre("", "mail"));
    EXPECT_THAT(scope.tenants, ElementsAre("acme"));
    EXPECT_THAT(scope.definitions, ElementsAre("invoice:1:17", "order:3:18"));
    EXPECT_TRUE(schema::is_all(good("enabledJobCategories = []").executor.scope));
}

TEST(SettingsFile, What_has_no_effect_is_accepted_and_said) {
    const SettingsFile file = read_toml("asyncExecutorTimerLockTimeInMillis = 300000\n");  // R172
    EXPECT_THAT(file.problems, IsEmpty());
    EXPECT_THAT(file.remarks, ElementsAre(HasSubstr("without effect")));
}

TEST(SettingsFile, A_password_is_not_repeated_in_a_message) {
    const SettingsFile file = read_toml("db = \"mysql://jobs:s3cret@host:port/x\"");
    ASSERT_FALSE(file.problems.empty());
    EXPECT_THAT(file.problems.front(), testing::Not(HasSubstr("s3cret")));
}

TEST(SettingsFile, A_name_of_forty_thousand_parts_is_refused_before_the_parser_sees_it) {
    std::string name = "a";
    for (int i = 0; i < 40'000; ++i) {
        name += ".a";
    }
    for (const std::string& toml :
         {name + " = 1",
          '[' + name + ']',
          "x = { " + name + " = 1 }",
          "\n\nx = [ { " + name + " = 1 } ]"}) {
        EXPECT_THAT(
            read_toml(toml).problems, ElementsAre(HasSubstr("a name has at most 32 parts"))
        );
    }
    EXPECT_THAT(
        read_toml("db = \"sqlite:" + std::string(100, '.') + "\" # fine\n").problems, IsEmpty()
    );
}

TEST(SettingsFile, A_file_that_is_not_there_is_told_by_name) {
    EXPECT_THAT(
        read_settings_file("/tmp").problems,
        ElementsAre("cannot read the configuration file /tmp: it is a folder; name the file in it")
    );
    EXPECT_THAT(
        read_settings_file("/dev/zero").problems,
        ElementsAre("cannot read the configuration file /dev/zero: it is longer than 1 MiB")
    );
    const SettingsFile file = read_settings_file("/nowhere/jobstrand.toml");
    EXPECT_THAT(
        file.problems,
        ElementsAre(
            "cannot read the configuration file /nowhere/jobstrand.toml: No such file or directory"
        )
    );
}

TEST(SettingsFile, Bytes_that_are_no_text_are_a_mistake_like_any_other) {
    EXPECT_FALSE(read_toml("db = \"\xff\xfe\"").problems.empty());
    EXPECT_FALSE(read_toml(std::string("a\0b", 3)).problems.empty());
}

TEST(SettingsFile, Says_where_the_password_of_its_database_is) {
    const Settings settings = good("db = 'mysql://a@h/d'\npasswordFile = '/etc/my password'\n");
    EXPECT_EQ(url_with_password_source(settings), "mysql://a@h/d?password_file=/etc/my%20password");
    EXPECT_EQ(
        url_with_password_source(good("db = 'mysql://a@h/d?ssl=off'\npasswordCommand = '/bin/p x'")
        ),
        "mysql://a@h/d?ssl=off&password_command=/bin/p%20x"
    );
    EXPECT_EQ(url_with_password_source(good("passwordFile = '/etc/p'")), "");
}

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

TEST(DeadLetterSettings, What_is_done_with_dead_letters_is_off_and_may_be_configured) {
    EXPECT_FALSE(good("").policies.retention.is_any());
    EXPECT_THAT(good("").policies.requeues, IsEmpty());
    const Settings settings = good(R"(
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
    EXPECT_EQ(good(settings_as_toml(settings)).policies.requeues, std::vector{expected})
        << "what config show prints is a configuration";
}

class ConfigChoiceTest : public testing::Test {
protected:
    ConfigChoiceTest() { std::ofstream(package) << "db = \"sqlite:jobs.db\"\n"; }

    const test::TemporaryDirectory directory;
    const std::string package = (directory.path() / "jobstrand.toml").string();
};

TEST_F(ConfigChoiceTest, That_of_the_package_counts_where_nobody_names_a_file_or_a_database) {
    EXPECT_EQ(chosen_config_file({.of_package = package}), package);
    EXPECT_EQ(chosen_config_file({.option = "a", .variable = "b", .of_package = package}), "a");
    EXPECT_EQ(chosen_config_file({.variable = "b", .of_package = package}), "b");
    const ConfigChoice of_database{.is_database_named = true, .of_package = package};
    EXPECT_EQ(chosen_config_file(of_database), std::nullopt);
    EXPECT_EQ(chosen_config_file({.of_package = package + "2"}), std::nullopt);
    EXPECT_FALSE(is_package_config_kept({.of_package = package}));
    EXPECT_FALSE(is_package_config_kept({.of_package = package + "2"}));
}

TEST_F(ConfigChoiceTest, One_that_may_not_be_read_is_no_mistake_but_known) {
    std::filesystem::permissions(package, std::filesystem::perms::none);
    const bool is_root = ::geteuid() == 0;
    constexpr uid_t somebody = 65534;  // Root reads everything.
    ASSERT_TRUE(!is_root || ::seteuid(somebody) == 0);
    EXPECT_EQ(chosen_config_file({.of_package = package}), std::nullopt);
    EXPECT_TRUE(is_package_config_kept({.of_package = package}));
    EXPECT_FALSE(is_package_config_kept({.is_database_named = true, .of_package = package}));
    ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
}

}  // namespace

}  // namespace jobstrand::cli
