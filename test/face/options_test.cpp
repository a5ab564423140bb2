#include "tools/engine/conversions.hpp"
#include "tools/settings/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/external_worker.hpp>
#include <jobstrand/job_history.hpp>
#include <jobstrand/testing.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using engine::WiringOptions;
using executor::ExecutorSettings;
using schema::AcquisitionOrder;
using schema::HistoryRetention;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using namespace std::chrono_literals;

/// An app that sets one thing and leaves the rest.
class Options : public testing::Test {
protected:
    void begin(const std::function<void(EngineOptions&)>& set) {
        EngineOptions options = TestEngine::silent();
        set(options);
        test_ = std::make_unique<TestEngine>(options);
        engine().add_handler("work", [](const JobContext&) { return Succeeded{}; });
        engine().add_handler("broken", [](const JobContext&) {
            return Failed{.message = "broken", .retryable = false};
        });
    }

    Engine& engine() { return test_->engine(); }

    void add(NewJob job = {}) {
        if (job.handler_type.empty()) {
            job.handler_type = "work";
        }
        engine().enqueue(std::move(job));
    }

    [[nodiscard]] std::int64_t rows_of(const std::string& table) {
        std::int64_t rows = 0;
        engine().in_transaction([&](Transaction& transaction) {
            transaction.query("SELECT COUNT(*) FROM " + table, {}, [&](const Row& row) {
                rows = row.integer(0);
            });
        });
        return rows;
    }

    std::unique_ptr<TestEngine> test_;
};

TEST_F(Options, Without_acquisition_what_is_due_runs_and_what_stands_in_the_table_does_not) {
    begin([](EngineOptions& options) { options.acquire_jobs = false; });
    add();
    add({.due_date = test_->now() + 1min});
    EXPECT_EQ(test_->run_for(1h), 1);
    EXPECT_THAT(test_->waiting(), SizeIs(1));
}

TEST_F(Options, Without_timers_what_is_due_stays) {
    begin([](EngineOptions& options) { options.acquire_timers = false; });
    add();
    add({.due_date = test_->now() + 1min});
    EXPECT_EQ(test_->run_for(1h), 1);
    EXPECT_EQ(engine().count(JobPlace::timer), 1);
}

TEST_F(Options, Without_a_reset_an_expired_lock_stays) {
    for (const bool resets : {true, false}) {
        begin([&](EngineOptions& options) { options.reset_expired_locks = resets; });
        add();
        engine().in_transaction([&](Transaction& transaction) {
            transaction.execute(
                "UPDATE ACT_RU_JOB SET LOCK_OWNER_ = 'stranger', LOCK_EXP_TIME_ = ?",
                {test_->now() + 1min}
            );
        });
        test_->advance(1h);
        EXPECT_EQ(test_->run_until_idle(), resets ? 1 : 0);
    }
}

// R118
TEST_F(Options, Timers_within_the_window_go_with_the_first) {
    begin([](EngineOptions& options) {
        options.timer_fire_ahead = 5s;
        options.timer_page = 10;
    });
    for (const Duration due : {10s, 14s, 16s}) {
        add({.due_date = test_->now() + due});
    }
    EXPECT_EQ(test_->run_for(10s), 2);
    EXPECT_EQ(test_->run_for(6s), 1);
}

// R017
TEST_F(Options, Without_priorities_a_new_job_has_none) {
    begin([](EngineOptions& options) { options.prioritized_jobs = false; });
    add({.priority = 7, .id = "a"});
    EXPECT_EQ(engine().find("a")->priority, 0);
}

TEST_F(Options, A_definition_that_fails_refuses_a_job_unless_that_is_tolerated) {
    const NewJob job{.payload = "{}", .process_definition_id = "d"};
    begin([](EngineOptions&) {});
    engine().set_definition({.name = "d", .priority = "${missing}"});
    EXPECT_THROW(add(job), std::invalid_argument);
    begin([](EngineOptions& options) { options.tolerate_failed_expressions = true; });
    engine().set_definition({.name = "d", .priority = "${missing}"});
    EXPECT_NO_THROW(add(job));
}

TEST_F(Options, Each_kind_of_job_is_recorded_if_that_is_wanted) {
    begin([](EngineOptions&) {});
    add({.process_definition_id = "d"});
    EXPECT_EQ(rows_of("ACT_RU_JOBDEF"), 0);
    begin([](EngineOptions& options) { options.record_definitions = true; });
    add({.process_definition_id = "d"});
    EXPECT_GT(rows_of("ACT_RU_JOBDEF"), 0);
}

TEST_F(Options, External_workers_may_hold_a_job_for_so_long_only) {
    begin([](EngineOptions& options) { options.external_time_limits = {"outside=PT1M"}; });
    add({.handler_type = "outside", .for_external_worker = true, .id = "a"});
    ExternalWorker worker(engine(), "w");
    const auto work = worker.acquire({.topics = {"outside"}, .lock = 1h});
    ASSERT_THAT(work, SizeIs(1));
    test_->advance(59s);
    EXPECT_EQ(engine().find("a")->attempts, 0);
    test_->advance(1min);
    EXPECT_EQ(engine().find("a")->attempts, 1);
    EXPECT_NE(worker.complete(work[0].held), WorkAnswer::done);
}

TEST_F(Options, An_order_has_its_index_made_if_that_is_wanted) {
    begin([](EngineOptions&) {});  // For its file.
    EngineOptions options{.database_url = "sqlite:" + test_->database_path(), .log = nullptr};
    options.acquire_by_priority = true;
    try {
        Engine(options).start();
        ADD_FAILURE() << "it started";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::schema_missing);
    }
    options.create_indexes = true;
    EXPECT_NO_THROW(Engine(options).start());
    options.create_indexes = false;
    EXPECT_NO_THROW(Engine(options).start()) << "it is there now";
}

TEST_F(Options, A_new_incident_is_told_to_its_target) {
    begin([](EngineOptions& options) { options.history.incident_target = "pager"; });
    add({.handler_type = "broken"});
    test_->run_until_idle();
    ASSERT_THAT(test_->waiting(), SizeIs(1));
    EXPECT_EQ(test_->waiting().front().handler_type, "http");
    EXPECT_THAT(test_->waiting().front().payload, HasSubstr("pager"));
}

TEST_F(Options, Dead_letters_are_removed_by_their_age_and_number) {
    begin([](EngineOptions& options) { options.history.dead_letter_retention = 24h; });
    add({.handler_type = "broken"});
    test_->run_for(23h);
    EXPECT_THAT(test_->dead_letters(), SizeIs(1));
    test_->run_for(2h);
    EXPECT_THAT(test_->dead_letters(), IsEmpty());

    begin([](EngineOptions& options) { options.history.dead_letter_max_rows = 1; });
    add({.handler_type = "broken"});
    add({.handler_type = "broken", .id = "last"});
    test_->run_for(1h);
    ASSERT_THAT(test_->dead_letters(), SizeIs(1));
}

TEST_F(Options, The_past_is_removed_in_its_hours_by_who_is_to_do_it) {
    const auto lines_after = [&](Duration time, const std::function<void(HistoryOptions&)>& set) {
        begin([&](EngineOptions& options) {
            options.history.retention = 1h;
            set(options.history);
        });
        add({.handler_type = "broken"});
        test_->run_for(time);
        return JobHistory(engine()).log({}).size();
    };
    EXPECT_EQ(lines_after(2h, [](HistoryOptions&) {}), 0);
    EXPECT_EQ(lines_after(2h, [](HistoryOptions& history) { history.cleanup = false; }), 1);
    const auto at_night = [](HistoryOptions& history) {
        history.cleanup_from = "20:00";
        history.cleanup_to = "22:00";
    };
    EXPECT_EQ(lines_after(19h, at_night), 1);
    EXPECT_EQ(lines_after(21h, at_night), 0);
    const auto by_others = [](HistoryOptions& history) { history.cleanup_priority = 5; };
    EXPECT_EQ(lines_after(2h, by_others), 0);
    begin([&](EngineOptions& options) {
        options.history = {.retention = 1h, .cleanup_priority = 5};
        options.scope.priority_max = 4;
    });
    add({.handler_type = "broken"});
    test_->run_for(2h);
    EXPECT_EQ(JobHistory(engine()).log({}).size(), 1);
}

TEST_F(Options, Are_refused_by_their_names_when_they_make_no_sense) {
    const auto refused = [this](const std::function<void(EngineOptions&)>& set) -> std::string {
        try {
            begin(set);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "nothing";
    };
    EXPECT_THAT(refused([](auto& o) { o.timer_page = 0; }), HasSubstr("timer_page"));
    EXPECT_THAT(refused([](auto& o) { o.reset_page = 0; }), HasSubstr("reset_page"));
    EXPECT_THAT(refused([](auto& o) { o.queue_bytes = 0; }), HasSubstr("queue_bytes"));
    EXPECT_THAT(
        refused([](auto& o) { o.acquire_page_bytes = 0; }), HasSubstr("acquire_page_bytes")
    );
    EXPECT_THAT(refused([](auto& o) { o.acquire_ahead = -1ms; }), HasSubstr("acquire_ahead"));
    EXPECT_THAT(refused([](auto& o) { o.acquire_first_wait = 0ms; }), HasSubstr("acquire_first"));
    EXPECT_THAT(refused([](auto& o) { o.queue_full_wait = -1ms; }), HasSubstr("queue_full_wait"));
    EXPECT_THAT(refused([](auto& o) { o.timer_fire_ahead = 2h; }), StartsWith("timer_fire_ahead"));
    EXPECT_EQ(refused([](auto& o) { o.threads = 0; }), "threads is 0, but must be 1 to 1000");
    EXPECT_EQ(
        refused([](auto& o) { o.history.cleanup_from = "25:00"; }),
        "history.cleanup_from and history.cleanup_to must be two times of the day such as 20:00, "
        "or both empty"
    );
    EXPECT_THAT(
        refused([](auto& o) { o.priority_aging = 1h; }),
        "priority_aging is of priorities, and needs acquire_by_priority"
    );
    EXPECT_THAT(
        refused([](auto& o) { o.scope.priority_min = 1, o.scope.priority_max = 0; }),
        StartsWith("scope.priority_min is 1")
    );
    EXPECT_THAT(refused([](auto& o) { o.retry.wait = -1s; }), StartsWith("retry.wait is"));
    EXPECT_THAT(refused([](auto& o) { o.retry.attempts = 0; }), StartsWith("retry.attempts is"));
    EXPECT_THAT(
        refused([](auto& o) { o.history.retention = -1h; }), StartsWith("history.retention is")
    );
    for (const auto& set : std::vector<std::function<void(EngineOptions&)>>{
             [](EngineOptions& o) { o.history.dead_letter_retention = -1h; },
             [](EngineOptions& o) { o.history.dead_letter_max_rows = -1; },
         }) {
        EXPECT_THAT(refused(set), HasSubstr("dead_letter")) << "else all of them would be removed";
    }
}

TEST(OptionsLeftAlone, Are_those_of_the_configuration) {
    const engine::WiringOptions ours = engine::wiring_options_of({});
    const cli::Settings service;
    const executor::ExecutorSettings& a = ours.executor;
    const executor::ExecutorSettings& b = service.executor;
    EXPECT_EQ(a.core_pool_size, b.core_pool_size);
    EXPECT_EQ(a.max_pool_size, b.max_pool_size);
    EXPECT_EQ(a.queue_size, b.queue_size);
    EXPECT_EQ(a.queue_bytes, b.queue_bytes);
    EXPECT_EQ(a.async_runs, b.async_runs);
    EXPECT_EQ(a.acquire_page, b.acquire_page);
    EXPECT_EQ(a.acquire_page_bytes, b.acquire_page_bytes);
    EXPECT_EQ(a.acquire_ahead, b.acquire_ahead);
    EXPECT_EQ(a.acquire_first_wait, b.acquire_first_wait);
    EXPECT_EQ(a.acquire_wait, b.acquire_wait);
    EXPECT_EQ(a.queue_full_wait, b.queue_full_wait);
    EXPECT_EQ(a.order, b.order);
    EXPECT_EQ(a.scope, b.scope);
    EXPECT_EQ(a.acquire_async_jobs, b.acquire_async_jobs);
    EXPECT_EQ(a.acquire_timers, b.acquire_timers);
    EXPECT_EQ(a.reset_expired_jobs, b.reset_expired_jobs);
    EXPECT_EQ(a.prioritized_jobs, b.prioritized_jobs);
    EXPECT_EQ(a.records_definitions, b.records_definitions);
    EXPECT_EQ(a.tolerates_failed_expressions, b.tolerates_failed_expressions);
    EXPECT_EQ(a.timer_page, b.timer_page);
    EXPECT_EQ(a.timer_wait, b.timer_wait);
    EXPECT_EQ(a.fire_ahead, b.fire_ahead);
    EXPECT_EQ(a.misfire_threshold, b.misfire_threshold);
    EXPECT_EQ(a.job_time_limit, b.job_time_limit);
    EXPECT_EQ(a.external_time_limits, b.external_time_limits);
    EXPECT_EQ(a.lost_starts, b.lost_starts);
    EXPECT_EQ(a.lock_time, b.lock_time);
    EXPECT_EQ(a.node_lease, b.node_lease);
    EXPECT_EQ(a.reset_interval, b.reset_interval);
    EXPECT_EQ(a.reset_page, b.reset_page);
    EXPECT_EQ(a.shutdown_wait, b.shutdown_wait);
    EXPECT_EQ(a.history.job_log, b.history.job_log);
    EXPECT_EQ(a.history.incidents, b.history.incidents);
    EXPECT_EQ(a.history.incident_target, b.history.incident_target);
    EXPECT_EQ(a.history_retention, b.history_retention);
    EXPECT_EQ(ours.policies.retention, service.policies.retention);
}

/// An option of an app, and whether the engine has got it.
struct OptionRow {
    std::string name;
    std::function<void(EngineOptions&)> set;
    std::function<bool(const WiringOptions&)> is_there;
    std::function<void(EngineOptions&)> before = [](EngineOptions&) {};  ///< Without it no sense.
};

/// The member at the end of a path of members.
template <typename... Members>
auto at(Members... members) {
    return [=](auto& whole) -> auto& {
        return (whole.*....*members);
    };
}

template <typename... Members>
auto executor_at(Members... members) {
    return at(&WiringOptions::executor, members...);
}

template <typename Option, typename Setting, typename Value>
OptionRow row(std::string name, Option option, Setting setting, Value value) {
    return {
        .name = std::move(name),
        .set = [=](EngineOptions& options) { option(options) = value; },
        .is_there = [=](const WiringOptions& wiring) { return setting(wiring) == value; },
    };
}

template <typename Value>
using Given = std::type_identity_t<Value>;

template <typename Value>
OptionRow plain(
    std::string name,
    Value EngineOptions::*option,
    Value ExecutorSettings::*setting,
    Given<Value> value
) {
    return row(std::move(name), at(option), executor_at(setting), std::move(value));
}

template <typename Value>
OptionRow of_order(
    std::string name,
    Value EngineOptions::*option,
    Value AcquisitionOrder::*setting,
    Given<Value> value
) {
    return row(
        std::move(name),
        at(option),
        executor_at(&ExecutorSettings::order, setting),
        std::move(value)
    );
}

/// Makes rows of options that stand together and become settings that do.
template <typename Options, typename Settings>
auto rows_of(Options EngineOptions::*options, Settings ExecutorSettings::*settings) {
    return [=]<typename Value>(
               std::string name,
               Value Options::*option,
               Value Settings::*setting,
               Given<Value> value
           ) {
        return row(
            std::move(name), at(options, option), executor_at(settings, setting), std::move(value)
        );
    };
}

const auto of_history = rows_of(&EngineOptions::history, &ExecutorSettings::history_retention);

std::vector<OptionRow> options_of_acquisition() {
    using Public = EngineOptions;
    using Settings = ExecutorSettings;
    return {
        plain("queue_size", &Public::queue_size, &Settings::queue_size, 17),
        plain("queue_bytes", &Public::queue_bytes, &Settings::queue_bytes, 17),
        plain("async_runs", &Public::async_runs, &Settings::async_runs, 17),
        plain("acquire_page", &Public::acquire_page, &Settings::acquire_page, 17),
        plain("acquire_page_bytes", &Public::acquire_page_bytes, &Settings::acquire_page_bytes, 17),
        plain("acquire_jobs", &Public::acquire_jobs, &Settings::acquire_async_jobs, false),
        plain("acquire_timers", &Public::acquire_timers, &Settings::acquire_timers, false),
        plain(
            "reset_expired_locks",
            &Public::reset_expired_locks,
            &Settings::reset_expired_jobs,
            false
        ),
        plain(
            "exclusive_over_hierarchies",
            &Public::exclusive_over_hierarchies,
            &Settings::exclusive_over_hierarchies,
            true
        ),
        plain(
            "instances_together", &Public::instances_together, &Settings::instances_together, true
        ),
        plain("prioritized_jobs", &Public::prioritized_jobs, &Settings::prioritized_jobs, false),
        plain(
            "record_definitions", &Public::record_definitions, &Settings::records_definitions, true
        ),
        plain(
            "tolerate_failed_expressions",
            &Public::tolerate_failed_expressions,
            &Settings::tolerates_failed_expressions,
            true
        ),
        plain("acquire_ahead", &Public::acquire_ahead, &Settings::acquire_ahead, 17ms),
        plain(
            "acquire_first_wait", &Public::acquire_first_wait, &Settings::acquire_first_wait, 17ms
        ),
        plain("queue_full_wait", &Public::queue_full_wait, &Settings::queue_full_wait, 17ms),
        plain("acquire_wait", &Public::acquire_wait, &Settings::acquire_wait, 17ms),
        of_order(
            "acquire_by_priority",
            &Public::acquire_by_priority,
            &AcquisitionOrder::by_priority,
            true
        ),
        of_order("prefer_timers", &Public::prefer_timers, &AcquisitionOrder::timers_first, true),
        of_order(
            "acquire_by_due_date",
            &Public::acquire_by_due_date,
            &AcquisitionOrder::by_due_date,
            true
        ),
        of_order(
            "tenants_in_turn", &Public::tenants_in_turn, &AcquisitionOrder::tenants_in_turn, true
        ),
    };
}

OptionRow aging() {
    OptionRow aging =
        of_order("priority_aging", &EngineOptions::priority_aging, &AcquisitionOrder::aging, 17min);
    aging.before = [](EngineOptions& options) { options.acquire_by_priority = true; };
    return aging;
}

OptionRow threads() {
    return {
        .name = "threads",
        .set = [](EngineOptions& options) { options.threads = 17; },
        .is_there =
            [](const WiringOptions& wiring) {
                return wiring.executor.core_pool_size == 17 && wiring.executor.max_pool_size == 17;
            },
    };
}

OptionRow claim_pages() {
    return {
        .name = "claim_pages",
        .set = [](EngineOptions& options) { options.claim_pages = true; },
        .is_there = [](const WiringOptions& wiring
                    ) { return wiring.executor.lock_granularity == schema::LockGranularity::page; },
    };
}

OptionRow retry_rule() {
    return {
        .name = "retry_rule",
        .set =
            [](EngineOptions& options) {
                options.retry_rule = [](const auto&, int, const auto&) { return RetryDecision{}; };
            },
        .is_there = [](const WiringOptions& wiring) { return wiring.retry_rule != nullptr; },
    };
}

OptionRow after_run() {
    return {
        .name = "hooks.after_run",
        .set = [](EngineOptions& options) { options.hooks.after_run = [](const EndedRun&) {}; },
        .is_there = [](const WiringOptions& wiring) { return wiring.on_run != nullptr; },
    };
}

std::vector<OptionRow> options_of_runs() {
    using Public = EngineOptions;
    using Settings = ExecutorSettings;
    return {
        row("database_url",
            at(&Public::database_url),
            at(&WiringOptions::database_url),
            std::string("sqlite:x")),
        row("update_schema", at(&Public::update_schema), at(&WiringOptions::update_schema), false),
        row("create_indexes", at(&Public::create_indexes), at(&WiringOptions::create_indexes), true
        ),
        plain("timer_wait", &Public::timer_wait, &Settings::timer_wait, 17ms),
        plain("timer_fire_ahead", &Public::timer_fire_ahead, &Settings::fire_ahead, 17ms),
        plain("timer_page", &Public::timer_page, &Settings::timer_page, 17),
        plain("lock_time", &Public::lock_time, &Settings::lock_time, 17s),
        plain("node_lease", &Public::node_lease, &Settings::node_lease, 17s),
        plain("reset_interval", &Public::reset_interval, &Settings::reset_interval, 17s),
        plain("reset_page", &Public::reset_page, &Settings::reset_page, 17),
        plain("job_time_limit", &Public::job_time_limit, &Settings::job_time_limit, 17s),
        plain(
            "external_time_limits",
            &Public::external_time_limits,
            &Settings::external_time_limits,
            {"mail=PT17S"}
        ),
        plain("lost_starts", &Public::lost_starts, &Settings::lost_starts, 17),
        plain("misfire_threshold", &Public::misfire_threshold, &Settings::misfire_threshold, 17s),
        plain("shutdown_wait", &Public::shutdown_wait, &Settings::shutdown_wait, 17s),
        plain("lock_owner", &Public::lock_owner, &Settings::lock_owner, "somebody"),
    };
}

std::vector<OptionRow> options_of_scope() {
    const auto of_scope = rows_of(&EngineOptions::scope, &ExecutorSettings::scope);
    return {
        row("scope.priority_min",
            at(&EngineOptions::scope, &ServedScope::priority_min),
            executor_at(&ExecutorSettings::scope, &ServedScope::priority_min),
            17),
        row("scope.priority_max",
            at(&EngineOptions::scope, &ServedScope::priority_max),
            executor_at(&ExecutorSettings::scope, &ServedScope::priority_max),
            17),
        of_scope(
            "scope.categories", &ServedScope::categories, &schema::ServedScope::categories, {"x"}
        ),
        of_scope("scope.tenants", &ServedScope::tenants, &schema::ServedScope::tenants, {"x"}),
        of_scope(
            "scope.definitions", &ServedScope::definitions, &schema::ServedScope::definitions, {"x"}
        ),
    };
}

std::vector<OptionRow> options_of_retries() {
    const auto of_retries = rows_of(&EngineOptions::retry, &ExecutorSettings::retry);
    return {
        of_retries(
            "retry.attempts", &RetryOptions::attempts, &schema::RetryPolicy::default_attempts, 17
        ),
        {.name = "retry.wait",
         .set = [](EngineOptions& options) { options.retry.wait = 17s; },
         .is_there =
             [](const WiringOptions& wiring) {
                 return wiring.executor.retry.message_wait == 17s &&
                        wiring.executor.retry.timer_wait == 17s;
             }},
        {.name = "retry.cycle",
         .set = [](EngineOptions& options) { options.retry.cycle = "R17/PT1M"; },
         .is_there =
             [](const WiringOptions& wiring) {
                 return wiring.executor.retry.cycle && wiring.executor.retry.cycle->attempts == 17;
             }},
    };
}

std::vector<OptionRow> options_of_history() {
    using Public = HistoryOptions;
    const auto history = [](auto member) { return at(&EngineOptions::history, member); };
    const auto of_rules = rows_of(&EngineOptions::history, &ExecutorSettings::history);
    const auto dead = [](auto member) {
        return at(&WiringOptions::policies, &deadletter::DeadLetterPolicies::retention, member);
    };
    return {
        {.name = "history.job_log",
         .set = [](EngineOptions& options) { options.history.job_log = JobLogLevel::full; },
         .is_there = [](const WiringOptions& wiring
                     ) { return wiring.executor.history.job_log == schema::JobLogLevel::full; }},
        {.name = "history.on_incident",
         .set = [](EngineOptions& options
                ) { options.history.on_incident = [](const Incident&) {}; },
         .is_there = [](const WiringOptions& wiring) { return wiring.on_incident != nullptr; }},
        of_rules("history.incidents", &Public::incidents, &schema::HistoryRules::incidents, false),
        of_rules(
            "history.incident_target",
            &Public::incident_target,
            &schema::HistoryRules::incident_target,
            "pager"
        ),
        row("history.dead_letter_retention",
            history(&Public::dead_letter_retention),
            dead(&deadletter::DeadLetterRetention::age),
            17s),
        row("history.dead_letter_max_rows",
            history(&Public::dead_letter_max_rows),
            dead(&deadletter::DeadLetterRetention::rows),
            17),
        of_history("history.retention", &Public::retention, &HistoryRetention::age, 17s),
        of_history("history.max_rows", &Public::max_rows, &HistoryRetention::rows, 17),
        of_history("history.last_runs", &Public::last_runs, &HistoryRetention::runs, 17),
        of_history(
            "history.last_runs_retention",
            &Public::last_runs_retention,
            &HistoryRetention::runs_age,
            17s
        ),
        of_history("history.cleanup", &Public::cleanup, &HistoryRetention::is_enabled, false),
        of_history(
            "history.cleanup_priority", &Public::cleanup_priority, &HistoryRetention::priority, 17
        ),
    };
}

/// The two times of a window make sense together only.
std::vector<OptionRow> window_of_history() {
    OptionRow from = of_history(
        "history.cleanup_from",
        &HistoryOptions::cleanup_from,
        &HistoryRetention::window_start,
        "20:00"
    );
    from.before = [](EngineOptions& options) {
        options.history = {.cleanup_from = "21:00", .cleanup_to = "22:00"};
    };
    OptionRow to = of_history(
        "history.cleanup_to", &HistoryOptions::cleanup_to, &HistoryRetention::window_end, "23:00"
    );
    to.before = from.before;
    return {from, to};
}

std::vector<OptionRow> all_options() {
    std::vector<OptionRow> all{threads(), claim_pages(), aging(), retry_rule(), after_run()};
    for (const auto& part :
         {options_of_acquisition(),
          options_of_runs(),
          options_of_scope(),
          options_of_retries(),
          options_of_history(),
          window_of_history()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

std::vector<std::string>
names_there(const std::vector<OptionRow>& rows, const EngineOptions& options) {
    const WiringOptions wiring = engine::wiring_options_of(options);
    std::vector<std::string> names;
    for (const OptionRow& row : rows) {
        if (row.is_there(wiring)) {
            names.push_back(row.name);
        }
    }
    return names;
}

TEST(OptionTable, Each_option_becomes_its_setting_and_no_other) {
    const std::vector<OptionRow> rows = all_options();
    for (const OptionRow& row : rows) {
        EngineOptions options;
        row.before(options);
        std::vector<std::string> expected = names_there(rows, options);
        EXPECT_EQ(std::ranges::count(expected, row.name), 0) << row.name;
        row.set(options);
        std::vector<std::string> there = names_there(rows, options);
        expected.push_back(row.name);
        EXPECT_THAT(there, testing::UnorderedElementsAreArray(expected)) << row.name;
    }
}

struct Anything {
    template <typename Member>
    operator Member() const;
};

template <typename Struct, std::size_t... Members>
constexpr bool has_members(std::index_sequence<Members...>) {
    return requires {
        Struct{(static_cast<void>(Members), Anything())...};
    };
}

/// Of an aggregate.
template <typename Struct, std::size_t Count = 1>
constexpr std::size_t members_of() {
    if constexpr (has_members<Struct>(std::make_index_sequence<Count>())) {
        return members_of<Struct, Count + 1>();
    } else {
        return Count - 1;
    }
}

TEST(OptionTable, Has_all_options) {
    const std::vector<OptionRow> rows = all_options();
    const auto count = [&](const std::string& part) {
        return static_cast<std::size_t>(std::ranges::count_if(rows, [&](const OptionRow& row) {
            return part.empty() ? row.name.find('.') == std::string::npos
                                : row.name.starts_with(part);
        }));
    };
    // But for the four structures, and for the log, which is opened before there is an engine.
    EXPECT_EQ(count(""), members_of<EngineOptions>() - 6);
    EXPECT_EQ(count("scope."), members_of<ServedScope>());
    EXPECT_EQ(count("retry."), members_of<RetryOptions>());
    EXPECT_EQ(count("history."), members_of<HistoryOptions>());
}

}  // namespace

}  // namespace jobstrand::test
