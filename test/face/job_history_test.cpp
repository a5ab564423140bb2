#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/job_history.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

/// An app that shows what happened: nothing but the public headers is used here.
class PublicHistory : public testing::Test {
protected:
    PublicHistory() {
        engine_.add_handler("mail", [](const JobContext& context) -> HandlerResult {
            if (context.attempt == 1) {
                return Failed{.message = "timeout", .details = "at send()"};
            }
            context.log("sent\n");
            return Succeeded{};
        });
    }
    ~PublicHistory() override { (void)engine_.stop(); }

    [[nodiscard]] EngineOptions options() const {
        EngineOptions all{.database_url = file_.url_text(), .threads = 1, .log = nullptr};
        all.retry.wait = 0s;
        all.history.job_log = JobLogLevel::full;
        return all;
    }

    SqliteFile file_;
    Engine engine_{options()};
    JobHistory history_{engine_};
};

TEST_F(PublicHistory, A_run_by_hand_says_what_became_of_the_job) {
    engine_.enqueue({.handler_type = "mail", .id = "a"});
    const RunReport failed = engine_.run_job("a");
    EXPECT_EQ(failed.answer, RunAnswer::done);
    EXPECT_EQ(failed.place, JobPlace::timer);
    EXPECT_EQ(failed.message, "timeout");
    engine_.enqueue({.handler_type = "mail", .retries = 1, .id = "b"});
    EXPECT_EQ(engine_.run_job("b").place, JobPlace::dead_letter);
    engine_.add_handler("noop", [](const JobContext&) { return Succeeded{}; });
    engine_.enqueue({.handler_type = "noop", .id = "c"});
    const RunReport succeeded = engine_.run_job("c");
    EXPECT_EQ(succeeded.place, std::nullopt);
    EXPECT_EQ(succeeded.message, "");
    EXPECT_TRUE(engine_.run_job("c") == RunAnswer::not_found) << "an answer alone will do";
}

TEST_F(PublicHistory, The_details_of_a_failure_stay_with_the_job) {
    engine_.enqueue({.handler_type = "mail", .retries = 1, .id = "a"});
    EXPECT_EQ(history_.failure_details("a"), "");
    engine_.run_job("a");
    EXPECT_EQ(history_.failure_details("a"), "at send()");
    EXPECT_EQ(history_.failure_details("nobody"), "");
}

TEST_F(PublicHistory, The_log_tells_the_latest_first_and_page_by_page) {
    engine_.enqueue({.handler_type = "mail", .tenant_id = "acme", .id = "a"});
    engine_.run_job("a");
    engine_.remove("a");
    engine_.enqueue({.handler_type = "mail", .id = "b"});
    EXPECT_THAT(
        history_.log({.job = "a"}),
        ElementsAre(
            Field(&JobLogLine::event, JobEvent::deleted),
            Field(&JobLogLine::event, JobEvent::failed),
            Field(&JobLogLine::event, JobEvent::created)
        )
    );
    const auto failed = history_.log({.tenant_id = "acme", .events = {JobEvent::failed}});
    ASSERT_THAT(failed, SizeIs(1));
    EXPECT_EQ(failed.front().message, "timeout");
    EXPECT_EQ(failed.front().reason, "retry");
    EXPECT_EQ(failed.front().attempt, 1);
    EXPECT_EQ(failed.front().retries, 2);
    EXPECT_EQ(failed.front().details, "") << "a list is without them";
    EXPECT_EQ(history_.log_line(failed.front().id).value().details, "at send()");
    EXPECT_EQ(history_.log_line("nobody"), std::nullopt);
    EXPECT_EQ(history_.log({}, failed.front().id).front().event, JobEvent::created);
    EXPECT_THAT(history_.log({.before = failed.front().time - 1h}), IsEmpty());
    EXPECT_EQ(name_of(JobEvent::interrupted), "interrupted");
}

TEST_F(PublicHistory, The_last_runs_are_told_though_their_jobs_are_gone) {
    engine_.start();
    engine_.enqueue({.handler_type = "mail", .process_instance_id = "order-17", .id = "a"});
    ASSERT_TRUE(eventually([&] { return !history_.finished_runs().empty(); }));
    EXPECT_THAT(
        history_.finished_runs({.handler_types = {"mail"}, .process_instance_ids = {"order-17"}}),
        ElementsAre(AllOf(
            Field(&FinishedRun::job, "a"),
            Field(&FinishedRun::attempt, 2),
            Field(&FinishedRun::message, "sent")
        ))
    );
    EXPECT_THAT(history_.finished_runs({.job = "b"}), IsEmpty());
    EXPECT_THAT(history_.finished_runs({}, history_.finished_runs().front().id), IsEmpty());
}

TEST_F(PublicHistory, A_run_under_way_tells_how_far_it_is) {
    Signal may_end;
    engine_.add_handler("export", [&](const JobContext& context) -> HandlerResult {
        context.progress(0.4, "page 4 of 10");
        context.log("opened\n");
        if (!may_end.wait_for(1)) {
            return Failed{.message = "nobody has let it end"};
        }
        return Succeeded{};
    });
    engine_.start();
    engine_.enqueue({.handler_type = "export", .id = "a"});
    std::optional<RunProgress> told;
    EXPECT_TRUE(eventually([&] {
        told = history_.progress("a");
        return told && told->progress == 0.4 && told->lines == "opened\n";
    }));
    EXPECT_EQ(told.value().note, "page 4 of 10");
    EXPECT_EQ(told.value().node, engine_.find("a").value().lock_owner);
    may_end.notify();
    EXPECT_TRUE(eventually([&] { return !engine_.find("a"); }));
    EXPECT_EQ(history_.progress("a"), std::nullopt);
}

}  // namespace

}  // namespace jobstrand::test
