#include "executor/async_executor.hpp"

#include "executor/loop/polling_loop.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/pool/shared_threads.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::executor {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using test::eventually;
using test::Signal;
using testing::_;
using testing::ElementsAre;
using testing::NiceMock;
using testing::Return;
using namespace std::chrono_literals;

/// An executor whose acquisition finds nothing.
class AsyncExecutorTest : public testing::Test {
protected:
    AsyncExecutorTest() {
        ON_CALL(nodes_, renew_lease(_, _, _))
            .WillByDefault(Return(persistence::LeaseAnswer{.is_held = true}));
        ON_CALL(store_, count_start(_, _, _)).WillByDefault(Return(true));
        ON_CALL(store_, apply(_, testing::An<std::span<const Outcome>>()))
            .WillByDefault([](auto, std::span<const Outcome> outcomes) {
                return std::vector<OutcomeAnswer>(outcomes.size(), OutcomeAnswer::done);
            });
        handlers_.add("mail", [this](const JobContext&) -> HandlerResult {
            ran_.notify();
            return Succeeded{};
        });
    }

    NiceMock<test::MockExecutorStore> store_;
    NiceMock<test::MockNodeStore> nodes_;
    NiceMock<test::MockServedStore> served_;
    HandlerRegistry handlers_;
    schema::SystemClock clock_;
    test::RecordingLog log_;
    WakeUps wake_ups_;
    Signal ran_;
    AsyncExecutor executor_{
        {.store = store_,
         .nodes = nodes_,
         .served = served_,
         .handlers = handlers_,
         .clock = clock_,
         .log = log_,
         .wake_ups = wake_ups_},
        {.lock_owner = "node-1"}};
};

/// Exclusive jobs of one instance, of which it notes when they run and when they are written.
class Chains : public AsyncExecutorTest {
protected:
    Chains() {
        ON_CALL(store_, apply(_, testing::An<std::span<const Outcome>>()))
            .WillByDefault([this](auto, std::span<const Outcome> outcomes) {
                before_writing();
                for (const Outcome& outcome : outcomes) {
                    note("wrote " + outcome.job->id);
                    written_.notify();
                }
                return std::vector<OutcomeAnswer>(outcomes.size(), OutcomeAnswer::done);
            });
        add("quick", [] {});
        add("long", [this] {
            const auto until = clock_.steady_now() + 10ms;
            while (clock_.steady_now() < until) {
            }
        });
    }

    void add(const std::string& type, const std::function<void()>& work, bool succeeds = true) {
        handlers_.add(type, [=, this](const JobContext& context) -> HandlerResult {
            note("ran " + context.job.id);
            ran_.notify();
            work();
            return succeeds ? HandlerResult(Succeeded{}) : HandlerResult(Failed{"no network"});
        });
    }

    void note(const std::string& event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    }

    /// The jobs a, b and so on of these types.
    void run(const std::vector<std::string>& types) {
        std::vector<schema::Job> jobs;
        for (const std::string& type : types) {
            const std::string id(1, static_cast<char>('a' + jobs.size()));
            jobs.push_back(test::a_job(id).of_type(type).of_instance("order").build());
        }
        executor_.start();
        executor_.accept(std::move(jobs), clock_.steady_now());
        EXPECT_TRUE(written_.wait_for(types.size()));
        EXPECT_TRUE(executor_.stop(StopMode::drain));
    }

    std::function<void()> before_writing = [] {};
    Signal written_;
    std::mutex mutex_;
    std::vector<std::string> events_;  ///< Guarded by mutex_.
};

TEST_F(Chains, Short_jobs_do_not_wait_for_the_commit_before_and_are_written_in_their_order) {
    before_writing = [this] { EXPECT_TRUE(ran_.wait_for(3)); };
    run({"quick", "quick", "quick"});
    EXPECT_THAT(
        events_, testing::ElementsAre("ran a", "ran b", "ran c", "wrote a", "wrote b", "wrote c")
    );
}

TEST_F(Chains, What_has_ended_is_written_while_the_next_one_still_runs) {
    add("waiting", [this] { EXPECT_TRUE(written_.wait_for(1)); });
    run({"quick", "waiting"});
}

TEST_F(Chains, A_long_job_is_written_before_the_next_one_starts) {
    run({"long", "quick"});
    EXPECT_THAT(events_, testing::ElementsAre("ran a", "wrote a", "ran b", "wrote b"));
}

TEST_F(Chains, A_failure_is_written_before_the_next_one_starts) {
    add(
        "failing", [] {}, false
    );
    run({"failing", "quick"});
    EXPECT_THAT(events_, testing::ElementsAre("ran a", "wrote a", "ran b", "wrote b"));
}

// What it writes in its own transaction would be there before those in front of it are done.
TEST_F(Chains, A_handler_that_writes_its_outcome_itself_waits_for_the_one_before) {
    ON_CALL(store_, in_transaction(_, _)).WillByDefault([this](auto&, auto&) {
        note("ran b");
        written_.notify();
    });
    handlers_.add_transactional(
        "transfer",
        [](const JobContext&, persistence::Transaction&) -> HandlerResult { return Succeeded{}; }
    );
    run({"quick", "transfer"});
    EXPECT_THAT(events_, testing::ElementsAre("ran a", "wrote a", "ran b"));
}

// It would wait for the end of its lock, though its node lives.
TEST_F(AsyncExecutorTest, A_job_whose_claim_was_in_doubt_is_run_when_it_turns_out_to_be_held) {
    EXPECT_CALL(store_, take_up(_))
        .WillOnce(Return(std::vector{test::a_job("a").of_type("mail").build()}));
    executor_.start();
    executor_.in_doubt(clock_.now() + 5min, clock_.steady_now());
    EXPECT_TRUE(ran_.wait_for(1));
    EXPECT_TRUE(executor_.stop(StopMode::drain));
}

// The commit of a claim may take long, and a producer's transaction too.
TEST_F(AsyncExecutorTest, Jobs_that_come_late_have_their_locks_renewed_at_once) {
    Signal renewed;
    EXPECT_CALL(store_, extend_locks(_, testing::SizeIs(1))).WillOnce([&](auto&, auto) {
        renewed.notify();
        return std::vector<std::string>{};
    });
    Signal may_end;
    handlers_.add("long", [&](const JobContext&) -> HandlerResult {
        EXPECT_TRUE(may_end.wait_for(1));
        return Succeeded{};
    });
    executor_.start();
    executor_.accept({test::a_job("a").of_type("long").build()}, clock_.steady_now() - 15s);
    EXPECT_TRUE(renewed.wait_for(1));
    may_end.notify();
    EXPECT_TRUE(executor_.stop(StopMode::drain));
}

/// An activity whose passes are given as a function of their number, from 1.
class ScriptedActivity final : public Activity {
public:
    explicit ScriptedActivity(std::function<schema::Duration(int)> script)
        : script_(std::move(script)) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "scripted"; }

    [[nodiscard]] schema::Duration run_once() override {
        passes.notify();
        return script_(++count_);
    }

    Signal passes;

private:
    std::function<schema::Duration(int)> script_;
    int count_ = 0;
};

class PollingLoopTest : public testing::Test {
protected:
    PollingLoopTest() : guard_(context.get_executor()), thread_([this] { context.run(); }) {}
    ~PollingLoopTest() override {
        guard_.reset();
        thread_.join();
    }

    boost::asio::io_context context;
    test::RecordingLog log;

private:
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
    std::thread thread_;
};

TEST_F(PollingLoopTest, Passes_follow_each_other_after_the_wait_that_each_returned) {
    ScriptedActivity activity([](int) { return 1ms; });
    PollingLoop loop(context, activity, log);
    loop.start();
    EXPECT_TRUE(activity.passes.wait_for(5));
    loop.stop();
}

TEST_F(PollingLoopTest, Waking_brings_the_next_pass_at_once) {
    ScriptedActivity activity([](int) { return kUntilWoken; });
    PollingLoop loop(context, activity, log);
    loop.start();
    ASSERT_TRUE(activity.passes.wait_for(1));
    loop.wake();
    EXPECT_TRUE(activity.passes.wait_for(2));
    loop.stop();
}

TEST_F(PollingLoopTest, A_wake_up_during_a_pass_is_not_lost) {
    PollingLoop* self = nullptr;
    ScriptedActivity activity([&](int pass) {
        if (pass == 1) {
            self->wake();
        }
        return kUntilWoken;
    });
    PollingLoop loop(context, activity, log);
    self = &loop;
    loop.start();
    EXPECT_TRUE(activity.passes.wait_for(2));
    loop.stop();
}

TEST_F(PollingLoopTest, No_pass_runs_after_stop_has_returned) {
    ScriptedActivity activity([](int) { return 0ms; });
    PollingLoop loop(context, activity, log);
    loop.start();
    ASSERT_TRUE(activity.passes.wait_for(10));
    loop.stop();
    const std::size_t passes = activity.passes.count();
    loop.wake();
    loop.stop();
    EXPECT_FALSE(activity.passes.wait_for(passes + 1, 20ms));
}

TEST_F(PollingLoopTest, Stopping_a_loop_that_was_never_started_returns_at_once) {
    ScriptedActivity activity([](int) { return 0ms; });
    PollingLoop loop(context, activity, log);
    loop.stop();
    loop.stop();
    EXPECT_EQ(activity.passes.count(), 0U);
}

TEST_F(PollingLoopTest, A_pass_that_fails_is_logged_once_and_tried_until_it_works) {
    ScriptedActivity activity([](int pass) -> schema::Duration {
        if (pass <= 3) {
            throw persistence::DbError(persistence::DbErrorKind::schema_missing, "no such table");
        }
        return kUntilWoken;
    });
    PollingLoop loop(context, activity, log);
    loop.start();
    EXPECT_TRUE(activity.passes.wait_for(4));
    loop.stop();
    EXPECT_EQ(log.count(schema::LogLevel::warn, "pass failed"), 1);
    EXPECT_EQ(log.count(schema::LogLevel::info, "works again"), 1);
}

TEST_F(PollingLoopTest, An_outage_of_the_database_is_left_to_the_store_to_say) {
    ScriptedActivity activity([](int pass) -> schema::Duration {
        if (pass <= 2) {
            throw persistence::DbError(persistence::DbErrorKind::connection_lost, "gone");
        }
        return kUntilWoken;
    });
    PollingLoop loop(context, activity, log);
    loop.start();
    EXPECT_TRUE(activity.passes.wait_for(3));
    loop.stop();
    EXPECT_EQ(log.count(schema::LogLevel::warn, ""), 0);
    EXPECT_EQ(log.count(schema::LogLevel::info, ""), 0);
    EXPECT_EQ(log.count(schema::LogLevel::debug, "pass failed"), 2);
}

TEST_F(PollingLoopTest, Waking_and_stopping_from_many_threads_is_safe) {
    for (int round = 0; round < 50; ++round) {
        ScriptedActivity activity([](int) { return 0ms; });
        PollingLoop loop(context, activity, log);
        loop.start();
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&loop] {
                for (int wakes = 0; wakes < 20; ++wakes) {
                    loop.wake();
                }
                loop.stop();
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
}

/// Whether there is a place at once.
bool gets_place(SharedThreads::Share& share) {
    std::stop_source stop;
    stop.request_stop();
    return share.take(stop.get_token());
}

// R095
TEST(SharedThreads, All_together_have_so_many_places) {
    SharedThreads threads(2);
    SharedThreads::Share one(threads);
    SharedThreads::Share other(threads);
    EXPECT_TRUE(gets_place(one));
    EXPECT_TRUE(gets_place(other));
    EXPECT_FALSE(gets_place(one));
    EXPECT_FALSE(gets_place(other));
    other.give_back();
    EXPECT_FALSE(gets_place(one)) << "it is kept for the other";
    one.give_back();
    EXPECT_TRUE(gets_place(one));
}

TEST(SharedThreads, A_place_is_kept_for_who_runs_nothing) {
    SharedThreads threads(3);
    SharedThreads::Share busy(threads);
    SharedThreads::Share idle(threads);
    EXPECT_TRUE(gets_place(busy));
    EXPECT_TRUE(gets_place(busy));
    EXPECT_FALSE(gets_place(busy));
    EXPECT_TRUE(gets_place(idle));
}

TEST(SharedThreads, Who_waits_goes_on_when_there_is_a_place) {
    SharedThreads threads(1);
    SharedThreads::Share one(threads);
    ASSERT_TRUE(gets_place(one));
    auto second = std::async(std::launch::async, [&one] { return one.take({}); });
    one.give_back();
    EXPECT_TRUE(second.get());
}

TEST(SharedThreads, One_alone_may_have_them_all) {
    SharedThreads threads(2);
    SharedThreads::Share one(threads);
    { const SharedThreads::Share gone(threads); }
    EXPECT_TRUE(gets_place(one));
    EXPECT_TRUE(gets_place(one));
}

TEST(SharedThreads, Who_is_told_to_stop_waits_no_longer) {
    SharedThreads threads(1);
    SharedThreads::Share one(threads);
    ASSERT_TRUE(gets_place(one));
    std::stop_source stop;
    auto second = std::async(std::launch::async, [&] { return one.take(stop.get_token()); });
    stop.request_stop();
    EXPECT_FALSE(second.get());
}

class WakeUpsTest : public testing::Test {
protected:
    WakeUpsTest() {
        wake_ups.sleepers = {
            .acquisition = [this] { woken.emplace_back("acquisition"); },
            .acquisition_beside = [this] { woken.emplace_back("acquisition beside"); },
            .timers_without_room = [this] { woken.emplace_back("timers without room"); },
            .timer_mover =
                [this](schema::TimePoint due) {
                    woken.emplace_back("timer mover");
                    told_due = due;
                },
            .timers_of_others = [this] { woken.emplace_back("timers of others"); },
            .timers_beside = [this] { woken.emplace_back("timers beside"); },
            .completion = [this] { woken.emplace_back("completion"); },
            .completion_beside = [this] { woken.emplace_back("completion beside"); },
            .groups = [this] { woken.emplace_back("groups"); },
            .limits = [this] { woken.emplace_back("limits"); },
            .listener = [this] { woken.emplace_back("listener"); },
            .unserved = [this] { woken.emplace_back("unserved"); },
            .external_workers = [this] { woken.emplace_back("external workers"); },
            .dead_nodes = [this] { woken.emplace_back("dead nodes"); },
        };
    }

    WakeUps wake_ups;
    std::vector<std::string> woken;
    schema::TimePoint told_due;
};

TEST_F(WakeUpsTest, Each_sleeper_is_woken_by_what_it_waits_for) {
    wake_ups.jobs_are_there();
    wake_ups.backlog_is_there();
    wake_ups.due_timers_pile_up();
    wake_ups.outcomes_wait();
    wake_ups.outcomes_pile_up();
    wake_ups.groups_ended();
    wake_ups.limited_ended();
    wake_ups.announcement_waits();
    wake_ups.jobs_are_unserved();
    wake_ups.external_jobs_are_there();
    wake_ups.nodes_may_be_dead();
    EXPECT_THAT(
        woken,
        ElementsAre(
            "acquisition",
            "acquisition beside",
            "timers beside",
            "completion",
            "completion beside",
            "groups",
            "limits",
            "listener",
            "unserved",
            "external workers",
            "dead nodes"
        )
    );
}

TEST_F(WakeUpsTest, Room_is_for_timers_and_for_free_jobs) {
    wake_ups.room_became_free();
    EXPECT_THAT(woken, ElementsAre("timers without room", "acquisition"));
}

TEST_F(WakeUpsTest, The_timer_mover_is_told_when_a_timer_is_due) {
    const schema::TimePoint due{std::chrono::hours(17)};
    wake_ups.timer_was_stored(due);
    EXPECT_THAT(woken, ElementsAre("timer mover"));
    EXPECT_EQ(told_due, due);
}

TEST_F(WakeUpsTest, What_others_enqueued_may_be_a_job_or_a_timer) {
    wake_ups.others_enqueued();
    EXPECT_THAT(woken, ElementsAre("timers of others", "acquisition", "external workers"));
}

TEST(WakeUps, What_nobody_sleeps_for_is_told_to_nobody) {
    const WakeUps wake_ups;
    wake_ups.others_enqueued();
    wake_ups.outcomes_wait();
    wake_ups.announcement_waits();
}

/// What several listeners hear, one after the other.
class Wire {
public:
    Wire() : socket_(::eventfd(0, EFD_NONBLOCK)) {}
    ~Wire() { ::close(socket_); }

    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    void announce() { say(1); }

    /// The listener loses its connection.
    void cut() {
        is_cut_ = true;
        say(1);
    }

    std::unique_ptr<persistence::JobListener> open();

    std::atomic<int> opened = 0;
    std::atomic<bool> refuses = false;

private:
    class Listener final : public persistence::JobListener {
    public:
        explicit Listener(Wire& wire) : wire_(wire) {}

        [[nodiscard]] int socket() const override { return wire_.socket_; }

        [[nodiscard]] bool take_announcements() override {
            eventfd_t count = 0;
            const bool is_any = ::eventfd_read(wire_.socket_, &count) == 0;
            if (wire_.is_cut_.exchange(false)) {
                throw DbError(DbErrorKind::connection_lost, "cut");
            }
            return is_any;
        }

    private:
        Wire& wire_;
    };

    void say(eventfd_t count) const { ::eventfd_write(socket_, count); }

    const int socket_;
    std::atomic<bool> is_cut_ = false;
};

std::unique_ptr<persistence::JobListener> Wire::open() {
    if (refuses) {
        throw DbError(DbErrorKind::unreachable, "refused");
    }
    ++opened;
    return std::make_unique<Listener>(*this);
}

class JobWakeupTest : public testing::Test {
protected:
    JobWakeupTest() {
        wake_ups_.sleepers.listener = [&loop = threads_.add_loop(wakeup_)] { loop.wake(); };
        wake_ups_.sleepers.acquisition = [this] { ++woken_; };
    }

    ~JobWakeupTest() override {
        wakeup_.close();
        threads_.stop();
    }

    /// From here on only what is new counts.
    void start_and_listen() {
        threads_.start();
        EXPECT_TRUE(eventually([&] { return wire_.opened == 1 && woken_ == 1; }));
        woken_ = 0;
    }

    Wire wire_;
    std::atomic<int> woken_ = 0;
    test::RecordingLog log_;
    ExecutorThreads threads_{log_};
    WakeUps wake_ups_;
    JobWakeup wakeup_{threads_.context(), [this] { return wire_.open(); }, wake_ups_};
};

TEST_F(JobWakeupTest, An_announcement_wakes_the_loops) {
    start_and_listen();
    for (int announcement = 1; announcement <= 3; ++announcement) {
        wire_.announce();
        EXPECT_TRUE(eventually([&] { return woken_ == announcement; }));
    }
}

TEST_F(JobWakeupTest, What_was_announced_before_somebody_listened_is_looked_for) {
    wire_.refuses = true;
    threads_.start();
    EXPECT_TRUE(eventually([&] { return log_.count(schema::LogLevel::debug, "pass failed") > 0; }));
    EXPECT_EQ(woken_, 0);
    wire_.refuses = false;
    EXPECT_TRUE(eventually([&] { return woken_ == 1; }));
}

TEST_F(JobWakeupTest, A_lost_connection_is_made_anew_and_what_was_missed_is_looked_for) {
    start_and_listen();
    wire_.cut();
    EXPECT_TRUE(eventually([&] { return wire_.opened == 2 && woken_ == 1; }));
    wire_.announce();
    EXPECT_TRUE(eventually([&] { return woken_ == 2; }));
}

TEST_F(JobWakeupTest, Ends_while_nothing_is_announced) {
    start_and_listen();
    wakeup_.close();
    threads_.stop();
    wire_.announce();
    EXPECT_EQ(woken_, 0);
}

}  // namespace

}  // namespace jobstrand::executor
