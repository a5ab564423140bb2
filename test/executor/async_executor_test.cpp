#include "executor/async_executor.hpp"

#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/mock_node_store.hpp"
#include "test/fixtures/mock_served_store.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"

#include <gtest/gtest.h>

#include <chrono>
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

/// The sizes of the transactions that outcomes are written in.
class Chains : public AsyncExecutorTest {
protected:
    Chains() {
        ON_CALL(store_, apply(_, testing::An<std::span<const Outcome>>()))
            .WillByDefault([this](auto, std::span<const Outcome> outcomes) {
                std::vector<std::string> ids;
                for (const Outcome& outcome : outcomes) {
                    ids.push_back(outcome.job->id);
                }
                written_.push_back(std::move(ids));
                return std::vector<OutcomeAnswer>(outcomes.size(), OutcomeAnswer::done);
            });
    }

    static schema::Job of_order(const std::string& id, const std::string& type) {
        return test::a_job(id).of_type(type).of_instance("order").build();
    }

    void run(std::vector<schema::Job> jobs) {
        const std::size_t count = jobs.size();
        executor_.start();
        executor_.accept(std::move(jobs), clock_.steady_now());
        EXPECT_TRUE(ran_.wait_for(count));
        EXPECT_TRUE(executor_.stop(StopMode::drain));
    }

    std::vector<std::vector<std::string>> written_;  ///< On the strand that writes.
};

TEST_F(Chains, Short_jobs_of_an_instance_are_written_in_one_transaction) {
    run({of_order("a", "mail"), of_order("b", "mail"), of_order("c", "mail")});
    EXPECT_THAT(written_, testing::ElementsAre(testing::ElementsAre("a", "b", "c")));
}

TEST_F(Chains, A_long_job_is_written_before_the_next_one_starts) {
    handlers_.add("long", [this](const JobContext& context) -> HandlerResult {
        const auto until = clock_.steady_now() + 10ms;
        while (clock_.steady_now() < until && !context.stop.stop_requested()) {
        }
        ran_.notify();
        return Succeeded{};
    });
    run({of_order("a", "long"), of_order("b", "mail"), of_order("c", "mail")});
    EXPECT_THAT(
        written_, testing::ElementsAre(testing::ElementsAre("a"), testing::ElementsAre("b", "c"))
    );
}

TEST_F(Chains, Behind_a_failure_the_next_one_waits_until_that_is_written) {
    handlers_.add("failing", [this](const JobContext&) -> HandlerResult {
        ran_.notify();
        return Failed{"no network"};
    });
    run({of_order("a", "mail"), of_order("b", "failing"), of_order("c", "mail")});
    EXPECT_THAT(
        written_, testing::ElementsAre(testing::ElementsAre("a", "b"), testing::ElementsAre("c"))
    );
}

// What it writes in its own transaction would be there before those in front of it are done.
TEST_F(Chains, A_handler_that_writes_its_outcome_itself_begins_a_new_one) {
    ON_CALL(store_, in_transaction(_, _)).WillByDefault([this](auto&, auto&) { ran_.notify(); });
    handlers_.add_transactional(
        "transfer",
        [](const JobContext&, persistence::Transaction&) -> HandlerResult { return Succeeded{}; }
    );
    run({of_order("a", "mail"), of_order("b", "transfer"), of_order("c", "mail")});
    EXPECT_THAT(
        written_, testing::ElementsAre(testing::ElementsAre("a"), testing::ElementsAre("c"))
    );
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
