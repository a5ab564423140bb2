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
