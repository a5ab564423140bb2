#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/testing.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// An app that looks at all jobs in one place.
class PublicHooks : public testing::Test {
protected:
    void begin(const Hooks& hooks) {
        EngineOptions options = TestEngine::silent();
        options.hooks = hooks;
        test_ = std::make_unique<TestEngine>(options);
        engine().add_handler("work", [](const JobContext&) { return Succeeded{}; });
        engine().add_handler("broken", [](const JobContext&) { return Failed{.message = "no"}; });
    }

    Engine& engine() { return test_->engine(); }

    std::unique_ptr<TestEngine> test_;
};

TEST_F(PublicHooks, A_new_job_may_be_changed_before_it_is_stored_however_it_is_enqueued) {
    begin({.before_enqueue = [](NewJob& job) { job.tenant_id = "acme"; }});
    engine().enqueue({.handler_type = "work"});
    engine().enqueue_unique({.handler_type = "work", .unique_key = "k"});
    engine().start_series({.turn = {.handler_type = "work"}, .repeat = "R/PT1H"});
    engine().in_transaction([&](Transaction& transaction) {
        engine().enqueue(transaction, {.handler_type = "work"});
    });
    for (const StoredJob& job : test_->waiting()) {
        EXPECT_EQ(job.tenant_id, "acme");
    }
    EXPECT_EQ(test_->waiting().size(), 4);
}

TEST_F(PublicHooks, A_new_job_may_be_refused_with_all_that_come_with_it) {
    begin({.before_enqueue = [](NewJob& job) {
        if (job.payload.empty()) {
            throw std::invalid_argument("a payload is needed");
        }
    }});
    EXPECT_THROW(
        engine().enqueue_all({{.handler_type = "work", .payload = "{}"}, {.handler_type = "work"}}),
        std::invalid_argument
    );
    EXPECT_THAT(test_->waiting(), IsEmpty());
}

TEST_F(PublicHooks, What_is_thrown_before_a_run_ends_the_attempt) {
    std::vector<std::string> ran;
    begin({.before_run = [](const JobContext& context) {
        if (context.job.tenant_id == "blocked") {
            throw std::runtime_error("this tenant is blocked");
        }
    }});
    engine().add_handler("note", [&](const JobContext& context) {
        ran.emplace_back(context.job.id);
        return Succeeded{};
    });
    engine().add_transactional_handler(
        "note in a transaction",
        [&](const JobContext& context, auto&) {
            ran.emplace_back(context.job.id);
            return Succeeded{};
        }
    );
    for (const char* const type : {"note", "note in a transaction"}) {
        engine().enqueue(
            {.handler_type = type, .tenant_id = "blocked", .id = type + std::string("1")}
        );
        engine().enqueue({.handler_type = type, .id = type + std::string("2")});
    }
    test_->run_until_idle();
    EXPECT_THAT(ran, ElementsAre("note in a transaction2", "note2")) << "in the order of their ids";
    EXPECT_EQ(engine().find("note1")->exception_message, "this tenant is blocked");
    EXPECT_EQ(engine().find("note in a transaction1")->attempts, 1);
}

TEST_F(PublicHooks, Each_run_is_told_when_it_has_ended) {
    std::vector<std::string> told;
    begin({.after_run = [&](const EndedRun& run) {
        const std::string result = run.result == RunResult::succeeded ? "done"
                                   : run.result == RunResult::failed  ? "failed"
                                   : run.result == RunResult::dead    ? "dead"
                                                                      : "interrupted";
        told.push_back(
            std::string(run.job.handler_type) + " " + std::to_string(run.attempt) + " " + result +
            " " + std::string(run.message)
        );
        EXPECT_EQ(run.ended, test_->now());
    }});
    engine().add_handler("waits", [](const JobContext&) { return Interrupted{.wait = 2h}; });
    engine().enqueue({.handler_type = "work"});
    engine().enqueue({.handler_type = "waits"});
    engine().enqueue({.handler_type = "broken", .retries = 2});
    test_->run_for(1h);
    EXPECT_THAT(
        told,
        ElementsAre(
            "work 1 done ", "waits 1 interrupted ", "broken 1 failed no", "broken 2 dead no"
        )
    );
}

}  // namespace

}  // namespace jobstrand::test
