#include "executor/async_executor.hpp"

#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/mock_node_store.hpp"
#include "test/fixtures/mock_served_store.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using testing::_;
using testing::NiceMock;
using testing::Return;

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
    test::Signal ran_;
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
    test::Signal written_;
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

}  // namespace
}  // namespace jobstrand::executor
