#include "executor/async_runs.hpp"

#include "test/fixtures/signal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// Runs whose handler keeps them, and what is told of their ends.
class AsyncRunsTest : public testing::Test {
protected:
    void begin(const std::string& id) {
        const auto held = std::make_shared<HeldJob>(schema::Job{.id = id}, schema::SteadyPoint{});
        runs.begin(handler, held, {.job = held->job, .stop = held->stop.get_token()});
    }

    std::vector<std::string> told;
    std::vector<std::shared_ptr<AsyncRun>> kept;
    AsyncJobHandler handler = [this](std::shared_ptr<AsyncRun> run) {
        kept.push_back(std::move(run));
    };
    AsyncRuns runs{
        2,
        [this](const HeldJobPtr& held, HandlerResult result) {
            const auto* failed = std::get_if<Failed>(&result);
            told.push_back(held->job.id + ": " + (failed == nullptr ? "done" : failed->message));
        }};
};

TEST_F(AsyncRunsTest, A_run_is_under_way_until_it_ends) {
    begin("a");
    begin("b");
    EXPECT_EQ(runs.under_way(), 2U);
    EXPECT_FALSE(runs.wait_until_done(0ms));
    EXPECT_THAT(told, IsEmpty());

    kept[1]->end(Succeeded{});
    EXPECT_EQ(runs.under_way(), 1U);
    kept[0]->end(Failed{.message = "no"});
    EXPECT_TRUE(runs.wait_until_done(0ms));
    EXPECT_THAT(told, ElementsAre("b: done", "a: no"));
}

TEST_F(AsyncRunsTest, The_first_end_counts) {
    begin("a");
    kept[0]->end(Succeeded{});
    kept[0]->end(Failed{.message = "too late"});
    EXPECT_THAT(told, ElementsAre("a: done"));
    EXPECT_EQ(runs.under_way(), 0U);
}

TEST_F(AsyncRunsTest, A_run_that_nobody_can_end_any_more_has_failed) {
    begin("a");
    kept.clear();
    EXPECT_THAT(told, ElementsAre("a: the handler let go of the job without ending it"));
}

TEST_F(AsyncRunsTest, What_a_handler_throws_is_how_its_run_ends) {
    handler = [](const std::shared_ptr<AsyncRun>&) { throw std::runtime_error("no address"); };
    begin("a");
    EXPECT_THAT(told, ElementsAre("a: no address"));

    handler = [](const std::shared_ptr<AsyncRun>& run) {
        run->end(Succeeded{});
        throw std::runtime_error("after the end");
    };
    begin("b");
    EXPECT_THAT(told, ElementsAre("a: no address", "b: done"));
}

TEST_F(AsyncRunsTest, Who_finds_no_place_waits_for_the_end_of_a_run) {
    begin("a");
    begin("b");
    test::Signal has_place;
    std::thread waiting([&] {
        runs.wait_for_place({});
        has_place.notify();
    });
    EXPECT_EQ(has_place.count(), 0U);
    kept[0]->end(Succeeded{});
    EXPECT_TRUE(has_place.wait_for(1));
    waiting.join();
}

TEST_F(AsyncRunsTest, Who_is_told_to_stop_waits_no_longer) {
    begin("a");
    begin("b");
    std::stop_source stop;
    stop.request_stop();
    runs.wait_for_place(stop.get_token());
    EXPECT_EQ(runs.under_way(), 2U);
}

TEST_F(AsyncRunsTest, After_the_close_nobody_is_told) {
    begin("a");
    runs.close();
    kept[0]->end(Succeeded{});
    EXPECT_THAT(told, IsEmpty());
    EXPECT_EQ(runs.under_way(), 1U);
}

}  // namespace
}  // namespace jobstrand::executor
