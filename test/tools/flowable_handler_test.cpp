#include "tools/handlers/flowable_handler.hpp"

#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/tools/test_app.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stop_token>

namespace jobstrand::cli {

namespace {

using test::TestApp;
using testing::NiceMock;
using testing::Return;
using Strings = std::vector<std::string>;

/// Instances that nobody else has.
class FreeInstances final : public persistence::EngineStore {
public:
    [[nodiscard]] bool has_engine() override { return true; }
    [[nodiscard]] std::optional<schema::TimePoint> last_engine_job() override { return {}; }
    [[nodiscard]] bool take_instance(const persistence::InstanceClaim& claim) override {
        const std::lock_guard lock(mutex_);
        log_.push_back(fmt::format("take {}", claim.instance));
        return ++tries_ > refused;
    }
    void free_instance(std::string_view instance, std::string_view owner) override {
        const std::lock_guard lock(mutex_);
        log_.push_back(fmt::format("free {} of {}", instance, owner));
    }

    [[nodiscard]] Strings log() {
        const std::lock_guard lock(mutex_);
        return log_;
    }

    int refused = 0;  ///< So many tries are in vain.

private:
    std::mutex mutex_;
    int tries_ = 0;
    Strings log_;
};

/// An engine answers a look, and a job as the test says.
TestApp::Decide an_engine(unsigned status) {
    return [status](const TestApp::Request& request) {
        const bool is_look = request.method() == boost::beast::http::verb::get;
        const bool has_body = is_look || status != 204;
        return std::optional(test::a_response(is_look ? 200 : status, has_body ? "{}" : ""));
    };
}

class FlowableHandlerTest : public testing::Test {
protected:
    [[nodiscard]] static std::string at(const TestApp& app) {
        return fmt::format("http://127.0.0.1:{}/process-api", app.port());
    }

    [[nodiscard]] executor::HandlerResult run(Strings engines, const std::string& instance = {}) {
        job_ = test::a_job("17").of_type("async-continuation");
        job_.lock_owner = "node";
        job_.process_instance_id = instance;
        job_.scope_type.clear();
        const FlowableHandler handler(
            {.clock = clock_,
             .log = log_,
             .client = client_,
             .jobs = jobs_,
             .instances = instances_},
            {.engines = std::move(engines)}
        );
        std::optional<executor::HandlerResult> result;
        handler(std::make_shared<executor::AsyncRun>(
            executor::JobContext{.job = job_, .stop = stop_.get_token()},
            [&](executor::HandlerResult ended) {
                result = std::move(ended);
                ended_.notify();
                after_end();
            }
        ));
        EXPECT_TRUE(ended_.wait_for(1));
        return result.value();
    }

    schema::ManualClock clock_;
    test::RecordingLog log_;
    NiceMock<test::MockExecutorStore> jobs_;
    FreeInstances instances_;
    schema::Job job_;
    test::Signal ended_;
    std::stop_source stop_;
    std::function<void()> after_end = [] {};  ///< On the thread that has ended the run.
    HttpClient client_;
};

TEST_F(FlowableHandlerTest, A_job_is_executed_by_an_engine_which_writes_the_outcome) {
    TestApp app(an_engine(204));
    EXPECT_CALL(jobs_, not_held).Times(0);
    EXPECT_TRUE(std::holds_alternative<executor::EndedElsewhere>(run({at(app)})));
    const auto request = app.requests().back();
    EXPECT_EQ(request.target(), "/process-api/management/jobs/17");
    EXPECT_EQ(request.body(), R"({"action":"execute"})");
    EXPECT_TRUE(instances_.log().empty());
}

TEST_F(FlowableHandlerTest, An_exclusive_job_has_its_instance_while_it_runs) {
    TestApp app(an_engine(204));
    instances_.refused = 1;
    EXPECT_TRUE(std::holds_alternative<executor::EndedElsewhere>(run({at(app)}, "i")));
    EXPECT_THAT(instances_.log(), testing::ElementsAre("take i", "take i", "free i of node"));
}

TEST_F(FlowableHandlerTest, After_an_error_the_row_decides) {
    TestApp app(an_engine(500));
    EXPECT_CALL(jobs_, not_held).WillOnce(Return(Strings{"17"}));
    EXPECT_TRUE(std::holds_alternative<executor::EndedElsewhere>(run({at(app)})));
}

TEST_F(FlowableHandlerTest, A_conflict_gives_the_job_back_without_a_retry) {
    TestApp app(an_engine(500));
    EXPECT_CALL(jobs_, not_held).WillOnce(Return(Strings{}));
    EXPECT_TRUE(std::holds_alternative<executor::GivenBack>(run({at(app)})));
}

TEST_F(FlowableHandlerTest, Its_threads_have_ended_when_it_is_gone) {
    TestApp app(an_engine(204));
    test::Signal never;
    std::atomic<bool> has_returned = false;
    after_end = [&] { has_returned = !never.wait_for(1, std::chrono::milliseconds(50)); };
    (void)run({at(app)}, "i");
    EXPECT_TRUE(has_returned);
}

TEST_F(FlowableHandlerTest, An_engine_that_does_not_answer_is_left_out) {
    TestApp app(an_engine(204));
    EXPECT_TRUE(
        std::holds_alternative<executor::EndedElsewhere>(run({"http://127.0.0.1:1/x", at(app)}))
    );
}

TEST(FlowableTypes, Are_those_of_a_process_engine_and_the_apps_own_and_never_our_jobs) {
    const Strings types = flowable_types({.handler_types = {"mine", "async-continuation"}});
    EXPECT_THAT(types, testing::Contains("mine"));
    EXPECT_EQ(std::ranges::count(types, "async-continuation"), 1);
    schema::Job job;
    EXPECT_FALSE(flowable_needs().of(job).empty());
    job.scope_type.clear();
    EXPECT_TRUE(flowable_needs().of(job).empty());
}

}  // namespace

}  // namespace jobstrand::cli
