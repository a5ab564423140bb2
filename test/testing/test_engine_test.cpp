#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/job_history.hpp>
#include <jobstrand/on_sqlite.hpp>
#include <jobstrand/testing.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TestKit : public testing::Test {
protected:
    Engine& engine() { return test_.engine(); }

    /// A handler that fails this many times, then succeeds.
    void add_flaky(int failures) {
        engine().add_handler("flaky", [failures](const JobContext& context) -> HandlerResult {
            if (context.attempt <= failures) {
                return Failed{.message = "no " + std::to_string(context.attempt)};
            }
            return Succeeded{};
        });
    }

    [[nodiscard]] std::vector<RunEnd> ends() const {
        std::vector<RunEnd> ends;
        for (const TestRun& run : test_.runs()) {
            ends.push_back(run.end);
        }
        return ends;
    }

    [[nodiscard]] std::vector<std::string> payloads() const {
        std::vector<std::string> payloads;
        for (const TestRun& run : test_.runs()) {
            payloads.push_back(run.job.payload);
        }
        return payloads;
    }

    void add_noop() {
        engine().add_handler("noop", [](const JobContext&) { return Succeeded{}; });
    }

    TestEngine test_;
};

// R006
TEST_F(TestKit, Jobs_run_when_the_test_says_so_and_in_the_order_of_their_enqueueing) {
    add_noop();
    engine().start();
    engine().enqueue({.handler_type = "noop", .payload = "1"});
    engine().enqueue({.handler_type = "noop", .payload = "2"});
    EXPECT_EQ(test_.waiting().size(), 2);
    EXPECT_THAT(test_.runs(), IsEmpty());
    EXPECT_EQ(test_.run_until_idle(), 2);
    EXPECT_THAT(payloads(), ElementsAre("1", "2"));
    EXPECT_THAT(ends(), ElementsAre(RunEnd::succeeded, RunEnd::succeeded));
    EXPECT_THAT(test_.waiting(), IsEmpty());
    EXPECT_EQ(test_.run_until_idle(), 0);
    EXPECT_TRUE(engine().stop());
}

TEST_F(TestKit, What_a_job_enqueues_runs_as_well) {
    engine().add_transactional_handler(
        "count down",
        [this](const JobContext& context, Transaction& transaction) {
            const int rest = std::stoi(std::string(context.job.payload));
            if (rest > 0) {
                engine().enqueue(
                    transaction, {.handler_type = "count down", .payload = std::to_string(rest - 1)}
                );
            }
            return Succeeded{};
        }
    );
    engine().enqueue({.handler_type = "count down", .payload = "3"});
    EXPECT_EQ(test_.run_until_idle(), 4);
    EXPECT_THAT(payloads(), ElementsAre("3", "2", "1", "0"));
}

TEST_F(TestKit, Jobs_that_enqueue_each_other_for_ever_end_the_test_and_not_the_machine) {
    engine().add_handler("again", [this](const JobContext&) {
        engine().enqueue({.handler_type = "again"});
        return Succeeded{};
    });
    engine().enqueue({.handler_type = "again"});
    try {
        test_.run_until_idle(20);
        ADD_FAILURE() << "it ended";
    } catch (const std::logic_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("jobs keep coming"));
    }
    EXPECT_EQ(test_.runs().size(), 20);
}

TEST_F(TestKit, A_timer_runs_when_the_clock_is_turned_to_it) {
    add_noop();
    engine().enqueue({.handler_type = "noop", .due_date = engine().now() + 1h});
    EXPECT_EQ(test_.run_until_idle(), 0);
    test_.advance(59min);
    EXPECT_EQ(test_.run_until_idle(), 0);
    test_.advance(1min);
    EXPECT_EQ(test_.run_until_idle(), 1);
    EXPECT_EQ(test_.runs().front().at, test_.now());
}

TEST_F(TestKit, Retries_run_at_their_times_while_time_goes_by) {
    add_flaky(2);
    engine().enqueue({.handler_type = "flaky", .retry_cycle = "PT1M,PT10M"});
    const TimePoint start = test_.now();
    EXPECT_EQ(test_.run_for(1h), 3);
    EXPECT_THAT(ends(), ElementsAre(RunEnd::failed, RunEnd::failed, RunEnd::succeeded));
    EXPECT_EQ(test_.runs().at(0).message, "no 1");
    EXPECT_EQ(test_.runs().at(1).at, start + 1min);
    EXPECT_EQ(test_.runs().at(2).at, start + 11min);
    EXPECT_EQ(test_.now(), start + 1h);
}

// R080
TEST(TestKitOptions, The_rule_of_the_app_says_when_a_job_is_tried_again) {
    EngineOptions options;
    options.retry_rule = [](const RunningJob& job, int attempt, const Failed& failure) {
        EXPECT_EQ(job.handler_type, "flaky");
        EXPECT_EQ(failure.message, "busy");
        using What = RetryDecision::What;
        return attempt == 1 ? RetryDecision{What::retry, 7min} : RetryDecision{What::give_up};
    };
    TestEngine test(options);
    test.engine().add_handler("flaky", [](const JobContext&) { return Failed{.message = "busy"}; });
    test.engine().enqueue({.handler_type = "flaky", .retries = 9});
    const TimePoint start = test.now();
    EXPECT_EQ(test.run_for(1h), 2);
    EXPECT_EQ(test.runs().at(1).at, start + 7min);
    EXPECT_EQ(test.runs().at(1).end, RunEnd::dead);
}

TEST_F(TestKit, A_job_that_fails_for_good_is_a_dead_letter) {
    add_flaky(9);
    engine().enqueue({.handler_type = "flaky", .payload = std::string(5'000, 'x'), .retries = 2});
    test_.run_for(1h);
    EXPECT_THAT(ends(), ElementsAre(RunEnd::failed, RunEnd::dead));
    ASSERT_EQ(test_.dead_letters().size(), 1);
    EXPECT_EQ(test_.dead_letters().front().exception_message, "no 2");
    EXPECT_EQ(test_.dead_letters().front().payload.size(), 5'000);
    EXPECT_TRUE(engine().requeue(test_.dead_letters().front().id));
    EXPECT_EQ(test_.run_until_idle(), 1);
}

TEST_F(TestKit, Exceptions_and_interruptions_are_told_apart) {
    engine().add_handler("throws", [](const JobContext&) -> HandlerResult {
        throw std::runtime_error("broken");
    });
    engine().add_handler("waits", [](const JobContext& context) -> HandlerResult {
        if (context.job.retries == 3 && context.attempt == 1) {
            return Interrupted{.wait = 5min};
        }
        return Succeeded{};
    });
    engine().enqueue({.handler_type = "throws", .retries = 1});
    engine().enqueue({.handler_type = "waits"});
    test_.run_until_idle();
    EXPECT_THAT(ends(), ElementsAre(RunEnd::dead, RunEnd::interrupted));
    EXPECT_EQ(test_.runs().front().message, "broken");
}

TEST_F(TestKit, A_series_runs_as_often_as_the_time_that_goes_by_has_turns) {
    add_noop();
    engine().start_series(
        {.turn = {.handler_type = "noop"}, .repeat = "0 0 2 * * ?", .zone = "Europe/Berlin"}
    );
    EXPECT_EQ(test_.run_for(std::chrono::days(7)), 7);
    EXPECT_EQ(test_.runs().front().at, std::chrono::sys_days(std::chrono::year{2030} / 1 / 1) + 1h);
}

TEST_F(TestKit, The_apps_own_connection_reaches_the_same_database) {
    add_noop();
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(test_.database_path().c_str(), &db), SQLITE_OK);
    sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    engine().enqueue(on_sqlite(db), {.handler_type = "noop", .payload = "mine"});
    sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close(db);
    EXPECT_EQ(test_.run_until_idle(), 1);
    EXPECT_THAT(payloads(), ElementsAre("mine"));
}

/// How many rows a table has for a connection of the app's own.
std::int64_t rows_seen(const std::string& path, const std::string& table) {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    std::int64_t rows = -1;
    const auto read = [](void* found, int, char** values, char**) {
        *static_cast<std::int64_t*>(found) = std::stoll(values[0]);
        return 0;
    };
    sqlite3_exec(db, ("SELECT COUNT(*) FROM " + table).c_str(), read, &rows, nullptr);
    sqlite3_close(db);
    return rows;
}

TEST_F(TestKit, A_handlers_own_connection_sees_what_is_committed_so_far) {
    const TimePoint start = test_.now();
    engine().add_handler("look", [&](const JobContext&) {
        if (test_.now() > start + 1h) {  // The first turn asks nobody.
            EXPECT_EQ(rows_seen(test_.database_path(), "ACT_RU_JOB"), 1) << "the turn that runs";
            EXPECT_EQ(rows_seen(test_.database_path(), "ACT_RU_TIMER_JOB"), 1) << "the next one";
        }
        return Succeeded{};
    });
    engine().start_series({.turn = {.handler_type = "look"}, .repeat = "R/PT1H"});
    EXPECT_EQ(test_.run_for(5h), 5);
}

TEST_F(TestKit, The_engine_answers_a_handler_from_what_is_committed) {
    engine().add_handler("look", [&](const JobContext& context) {
        EXPECT_EQ(engine().count({.handler_types = {"look"}}), 1);
        engine().in_transaction([&](Transaction& transaction) {
            const std::string id = engine().enqueue(transaction, {.handler_type = "stays"});
            EXPECT_EQ(engine().find(id), std::nullopt) << "it is not committed";
            if (context.job.payload == "fails") {
                throw std::runtime_error("rolled back");
            }
        });
        return Succeeded{};
    });
    engine().start_series({.turn = {.handler_type = "look"}, .repeat = "R2/PT1H"});
    EXPECT_EQ(test_.run_for(3h), 2);
    engine().enqueue({.handler_type = "look", .payload = "fails", .retries = 1});
    EXPECT_EQ(test_.run_until_idle(), 1);
    EXPECT_EQ(engine().count(JobPlace::executable), 2) << "what was rolled back is not there";
}

TEST_F(TestKit, A_thread_of_the_app_sees_what_is_committed) {
    engine().add_async_handler("look", [&](std::shared_ptr<AsyncRun> run) {
        std::thread([this, run] {
            engine().enqueue({.handler_type = "noop"});
            EXPECT_EQ(engine().count(JobPlace::executable), 2);
            run->end(Succeeded{});
        }).join();
    });
    add_noop();
    engine().enqueue({.handler_type = "look"});
    EXPECT_EQ(test_.run_until_idle(), 2);
}

TEST_F(TestKit, What_no_handler_knows_stays) {
    engine().enqueue({.handler_type = "unknown", .due_date = engine().now() + 1s});
    EXPECT_EQ(test_.run_for(1h), 0);
    EXPECT_EQ(test_.waiting().size(), 1);
}

TEST_F(TestKit, What_is_outside_of_the_scope_stays) {
    engine().add_handler("noop", [](const JobContext&) { return Succeeded{}; });
    engine().limit_to({.tenants = {"acme"}});
    engine().enqueue({.handler_type = "noop", .tenant_id = "acme"});
    engine().enqueue({.handler_type = "noop", .tenant_id = "umbra"});
    EXPECT_EQ(test_.run_for(1h), 1);
    EXPECT_EQ(test_.waiting().size(), 1);
}

TEST_F(TestKit, The_clock_goes_forward_only) {
    test_.set_time(test_.now() + 1h);
    EXPECT_THROW(test_.set_time(test_.now() - 1ms), std::logic_error);
}

TEST_F(TestKit, Late_timers_run_in_the_order_in_which_they_were_due) {
    add_noop();
    engine().enqueue({.handler_type = "noop", .payload = "2", .due_date = test_.now() + 2h});
    engine().enqueue({.handler_type = "noop", .payload = "1", .due_date = test_.now() + 1h});
    test_.advance(3h);
    engine().enqueue({.handler_type = "noop", .payload = "3"});
    EXPECT_EQ(test_.run_until_idle(), 3);
    EXPECT_THAT(payloads(), ElementsAre("1", "2", "3"));
}

TEST_F(TestKit, A_handler_may_run_other_jobs) {
    engine().add_handler("outer", [this](const JobContext&) {
        engine().enqueue({.handler_type = "noop", .payload = "inner"});
        EXPECT_EQ(test_.run_until_idle(), 1);
        return Succeeded{};
    });
    add_noop();
    engine().enqueue({.handler_type = "outer", .payload = "outer"});
    EXPECT_EQ(test_.run_until_idle(), 1);
    EXPECT_THAT(payloads(), ElementsAre("inner", "outer"));
}

TEST_F(TestKit, The_clock_may_be_turned_in_a_transaction) {
    add_noop();
    engine().in_transaction([&](Transaction& transaction) {
        engine().enqueue(transaction, {.handler_type = "noop"});
        test_.advance(1h);
    });
    EXPECT_EQ(test_.run_until_idle(), 1);
}

TEST_F(TestKit, What_a_run_tells_is_seen_while_time_goes_by_and_stands_with_its_failure) {
    JobHistory history(engine());
    engine().add_handler("tells", [&](const JobContext& context) {
        context.progress(0.5, "half");
        context.log("a line\n");
        test_.advance(1s);
        EXPECT_EQ(history.progress("a").value().note, "half");
        return Failed{.message = "no", .retryable = false};
    });
    engine().enqueue({.handler_type = "tells", .id = "a"});
    EXPECT_EQ(test_.run_until_idle(), 1);
    EXPECT_THAT(history.failure_details("a"), HasSubstr("a line"));
    EXPECT_EQ(history.progress("a"), std::nullopt);
}

TEST_F(TestKit, Deadlines_of_handlers_go_by_the_clock) {
    EngineOptions options = TestEngine::silent();
    options.job_time_limit = 5min;
    TestEngine test(options);
    test.engine().add_handler("noop", [&](const JobContext& context) {
        EXPECT_EQ(context.deadline, test.now() + 5min);
        return Succeeded{};
    });
    test.engine().enqueue({.handler_type = "noop"});
    EXPECT_EQ(test.run_until_idle(), 1);
}

TEST_F(TestKit, Calls_in_a_wrong_order_are_refused_as_by_any_engine) {
    engine().start();
    EXPECT_THROW(engine().start(), std::logic_error);
}

/// Runs the jobs in the order of these options, and tells their payloads.
std::vector<std::string> order_of(const EngineOptions& options, const std::vector<NewJob>& jobs) {
    TestEngine test(options);
    test.engine().add_handler("noop", [](const JobContext&) { return Succeeded{}; });
    for (NewJob job : jobs) {
        job.handler_type = "noop";
        if (job.due_date) {
            job.due_date = test.now() + job.due_date->time_since_epoch();
        }
        test.engine().enqueue(std::move(job));
        test.advance(1min);
    }
    test.advance(2h);
    test.run_until_idle();
    std::vector<std::string> payloads;
    for (const TestRun& run : test.runs()) {
        payloads.push_back(run.job.payload);
    }
    return payloads;
}

TimePoint in(Duration time) {
    return TimePoint(time);
}

// R014, R045 to R050
TEST(TestKitOrder, Is_that_of_the_options) {
    EngineOptions options = TestEngine::silent();
    options.acquire_by_priority = true;
    EXPECT_THAT(
        order_of(
            options,
            {{.payload = "a", .priority = 1}, {.payload = "b", .priority = 2}, {.payload = "c"}}
        ),
        ElementsAre("b", "a", "c")
    );
    options.priority_aging = 30s;
    EXPECT_THAT(
        order_of(options, {{.payload = "old"}, {.payload = "young", .priority = 1}}),
        ElementsAre("old", "young")
    ) << "a minute is worth two steps";
    options = TestEngine::silent();
    options.prefer_timers = true;
    EXPECT_THAT(
        order_of(
            options,
            {{.payload = "a"},
             {.payload = "late", .due_date = in(2h)},
             {.payload = "early", .due_date = in(1h)}}
        ),
        ElementsAre("early", "late", "a")
    );
    options = TestEngine::silent();
    options.acquire_by_due_date = true;
    EXPECT_THAT(
        order_of(
            options,
            {{.payload = "due later", .due_date = in(1h)},
             {.payload = "made later"},
             {.payload = "due at once", .due_date = in(1ms)}}
        ),
        ElementsAre("made later", "due at once", "due later")
    );
    options = TestEngine::silent();
    options.tenants_in_turn = true;
    EXPECT_THAT(
        order_of(
            options,
            {{.payload = "a1", .tenant_id = "a"},
             {.payload = "a2", .tenant_id = "a"},
             {.payload = "b1", .tenant_id = "b"}}
        ),
        ElementsAre("a1", "b1", "a2")
    );
}

TEST(TestKitClock, Begins_in_1970_or_later) {
    EXPECT_THROW(TestEngine(TestEngine::silent(), TimePoint(-1ms)), std::logic_error);
}

TEST(TestKitDatabase, Is_gone_with_the_test) {
    std::string path;
    {
        TestEngine test;
        path = test.database_path();
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

}  // namespace

}  // namespace jobstrand::test
