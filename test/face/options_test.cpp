#include "tools/engine/conversions.hpp"
#include "tools/settings/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/external_worker.hpp>
#include <jobstrand/job_history.hpp>
#include <jobstrand/testing.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

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

}  // namespace

}  // namespace jobstrand::test
