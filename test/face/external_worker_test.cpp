#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>
#include <jobstrand/external_worker.hpp>
#include <jobstrand/on_asio.hpp>
#include <jobstrand/testing.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::test {

namespace {

namespace asio = boost::asio;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

/// An app with asynchronous handlers: nothing but the public headers and Boost.Asio is used here.
class AsyncHandlers : public testing::Test {
protected:
    [[nodiscard]] EngineOptions options() const {
        return {.database_url = file_.url_text(), .threads = 1, .log = nullptr};
    }

    /// Where the job is when its run has ended.
    [[nodiscard]] std::optional<StoredJob> ended(const std::string& id) {
        std::optional<StoredJob> job;
        EXPECT_TRUE(eventually([&] {
            job = engine_.find(id);
            return !job || job->place != JobPlace::executable;
        }));
        return job;
    }

    SqliteFile file_;
    Engine engine_{options()};
};

TEST_F(AsyncHandlers, A_run_ends_when_the_app_says_so) {
    std::shared_ptr<AsyncRun> run;
    Signal begun;
    engine_.add_async_handler("call", [&](std::shared_ptr<AsyncRun> its_run) {
        run = std::move(its_run);
        begun.notify();
    });
    engine_.start();
    const std::string id = engine_.enqueue({.handler_type = "call", .payload = "Ada"});
    ASSERT_TRUE(begun.wait_for(1));
    EXPECT_EQ(run->context().job.payload, "Ada");
    EXPECT_TRUE(engine_.find(id));
    run->end(Succeeded{});
    EXPECT_FALSE(ended(id));
}

TEST_F(AsyncHandlers, An_empty_function_is_refused) {
    EXPECT_THROW(engine_.add_async_handler("call", nullptr), std::logic_error);
}

asio::awaitable<HandlerResult> wait_and_succeed(const JobContext& context) {
    asio::steady_timer timer(co_await asio::this_coro::executor, 1ms);
    co_await timer.async_wait(asio::use_awaitable);
    if (context.job.payload == "bad") {
        throw std::runtime_error("it was bad");
    }
    co_return Succeeded{};
}

// R060: on threads of the app's own.
TEST_F(AsyncHandlers, A_coroutine_is_a_handler) {
    asio::io_context io;
    auto work = asio::make_work_guard(io);
    std::thread thread([&] { io.run(); });
    engine_.add_async_handler("call", on_asio(io.get_executor(), wait_and_succeed));
    engine_.start();
    EXPECT_FALSE(ended(engine_.enqueue({.handler_type = "call", .payload = "good"})));

    const auto failed = ended(engine_.enqueue({.handler_type = "call", .payload = "bad"}));
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->exception_message, "it was bad");
    EXPECT_TRUE(engine_.stop());
    work.reset();
    thread.join();
}

/// An app that is the broker of its workers: nothing but the public headers is used here.
class PublicWorkers : public testing::Test {
protected:
    void add(const std::string& id, NewJob job = {}) {
        job.handler_type = "invoice";
        job.for_external_worker = true;
        job.id = id;
        engine_.enqueue(std::move(job));
    }

    [[nodiscard]] AcquiredWork take(ExternalWorker& worker) {
        std::vector<AcquiredWork> work = worker.acquire({.topics = {"invoice"}, .lock = 1min});
        EXPECT_THAT(work, SizeIs(1));
        return work.at(0);
    }

    [[nodiscard]] std::vector<std::string> ids_of(const WorkOrder& order) {
        std::vector<std::string> ids;
        for (const AcquiredWork& work : first_.acquire(order)) {
            ids.push_back(work.job.id);
        }
        return ids;
    }

    TestEngine test_;
    Engine& engine_ = test_.engine();
    ExternalWorker first_{engine_, "w-1"};
    ExternalWorker second_{engine_, "w-2"};
};

// R072
TEST_F(PublicWorkers, A_job_is_acquired_with_its_payload_and_completed) {
    add("a", {.payload = R"({"order":17})"});
    const AcquiredWork work = take(first_);
    EXPECT_EQ(work.job.payload, R"({"order":17})");
    EXPECT_EQ(work.job.place, JobPlace::external_worker);
    EXPECT_EQ(work.job.lock_owner, "w-1");
    EXPECT_EQ(work.locked_until, test_.now() + 1min);
    EXPECT_THAT(second_.acquire({.topics = {"invoice"}}), IsEmpty()) << "it is locked";
    EXPECT_EQ(second_.complete(work.held), WorkAnswer::not_held);
    EXPECT_EQ(first_.complete(work.held), WorkAnswer::done);
    EXPECT_EQ(first_.complete(work.held), WorkAnswer::not_found);
    EXPECT_EQ(engine_.find("a"), std::nullopt);
}

TEST_F(PublicWorkers, What_came_of_it_is_handed_on_to_a_handler_of_the_app) {
    std::string heard;
    engine_.add_handler(std::string(kWorkerOutcome), [&](const JobContext& context) {
        heard = std::string(context.job.id) + " " + std::string(context.job.payload);
        return Succeeded{};
    });
    add("a");
    EXPECT_EQ(first_.complete(take(first_).held, R"({"total":99})"), WorkAnswer::done);
    EXPECT_EQ(test_.run_until_idle(), 1U);
    EXPECT_EQ(heard, R"(a {"total":99})");
    add("b");
    EXPECT_THROW(first_.complete(take(first_).held, "\xff"), std::invalid_argument);
}

TEST_F(PublicWorkers, A_failure_counts_an_attempt_and_the_job_comes_back) {
    add("a", {.retries = 2, .retry_cycle = "R2/PT30S"});
    EXPECT_EQ(
        first_.fail(take(first_).held, {.message = "no paper", .details = "tray 2"}),
        WorkAnswer::done
    );
    EXPECT_EQ(engine_.find("a").value().place, JobPlace::timer);
    EXPECT_EQ(engine_.find("a").value().exception_message, "no paper");
    test_.run_for(30s);
    const AcquiredWork again = take(second_);
    EXPECT_EQ(again.job.attempts, 1);
    EXPECT_EQ(second_.fail(again.held, {.message = "no ink"}), WorkAnswer::done);
    EXPECT_EQ(engine_.find("a").value().place, JobPlace::dead_letter);
}

TEST_F(PublicWorkers, A_lock_that_is_over_gives_the_job_to_the_next_one) {
    add("a");
    const AcquiredWork lost = take(first_);
    EXPECT_THAT(first_.extend({lost.held}, 10min), ElementsAre(WorkAnswer::done));
    test_.advance(9min);
    EXPECT_THAT(second_.acquire({.topics = {"invoice"}}), IsEmpty());
    test_.advance(1min + 1s);
    const AcquiredWork won = take(second_);
    EXPECT_EQ(won.job.attempts, 0) << "no retry is used";
    EXPECT_THAT(first_.extend({lost.held}, 1min), ElementsAre(WorkAnswer::not_held));
    EXPECT_EQ(second_.complete(won.held), WorkAnswer::done);
}

TEST_F(PublicWorkers, A_worker_asks_for_a_user_and_groups_as_at_flowable) {
    add("a", {.candidate_users = {"kermit", "fozzie"}});
    add("b", {.candidate_groups = {"bears"}});
    add("c");
    EXPECT_EQ(
        engine_.find("a").value().candidate_users, (std::vector<std::string>{"kermit", "fozzie"})
    );
    const auto ids_for = [this](WorkCandidate candidate) {
        return ids_of({.topics = {"invoice"}, .jobs = 9, .candidate = std::move(candidate)});
    };
    EXPECT_THAT(ids_for({.user = "gonzo", .groups = {"pigs"}}), IsEmpty());
    EXPECT_THAT(ids_for({.user = "fozzie", .groups = {"bears"}}), ElementsAre("a", "b"));
    EXPECT_THROW((void)ids_for({}), std::invalid_argument) << "nobody is not everybody";
    EXPECT_THAT(ids_of({.topics = {"invoice"}, .jobs = 9}), ElementsAre("c"));
    EXPECT_THROW(add("d", {.candidate_users = {"a\nb"}}), std::invalid_argument);
}

// I4
TEST_F(PublicWorkers, An_earlier_run_of_the_same_worker_writes_nothing) {
    add("a");
    const AcquiredWork lost = take(first_);
    test_.advance(1min + 1s);
    const AcquiredWork again = take(first_);
    EXPECT_EQ(first_.complete(lost.held), WorkAnswer::not_held);
    const HeldWork never_given{
        .id = "a", .fencing_token = again.held.fencing_token.value() + (1LL << 32)};
    EXPECT_EQ(first_.complete(never_given), WorkAnswer::not_held);
    EXPECT_EQ(first_.complete({.id = "a"}), WorkAnswer::done) << "the name counts alone";
    EXPECT_EQ(first_.complete(again.held), WorkAnswer::not_found);
}

TEST_F(PublicWorkers, What_is_given_back_is_free_at_once) {
    add("a");
    add("b");
    const WorkOrder two{.topics = {"invoice"}, .jobs = 2};
    const std::vector<AcquiredWork> work = first_.acquire(two);
    EXPECT_THAT(
        first_.give_back({work.front().held, {.id = "nobody"}}),
        ElementsAre(WorkAnswer::done, WorkAnswer::not_found)
    );
    EXPECT_EQ(take(second_).job.id, "a");
    EXPECT_EQ(first_.give_back_all(), 1);
    EXPECT_EQ(take(second_).job.id, "b");
}

TEST_F(PublicWorkers, Many_results_go_in_one_call) {
    for (const char* const id : {"a", "b", "c"}) {
        add(id, {.retries = 1});
    }
    EXPECT_THAT(ids_of({.topics = {"invoice"}, .jobs = 10}), ElementsAre("a", "b", "c"));
    EXPECT_THAT(
        first_.finish(
            {{.job = {.id = "a"}, .what = WorkDone{}},
             {.job = {.id = "b"}, .what = WorkDone{.outcome = "17"}},
             {.job = {.id = "c"}, .what = Failed{.message = "no paper"}},
             {.job = {.id = "d"}, .what = WorkDone{}}}
        ),
        ElementsAre(WorkAnswer::done, WorkAnswer::done, WorkAnswer::done, WorkAnswer::not_found)
    );
    EXPECT_EQ(engine_.find("a"), std::nullopt);
    EXPECT_EQ(engine_.find("b").value().handler_type, kWorkerOutcome);
    EXPECT_EQ(engine_.find("c").value().place, JobPlace::dead_letter);
}

TEST_F(PublicWorkers, A_worker_takes_what_it_wants) {
    add("a", {.priority = 1, .tenant_id = "acme"});
    add("b", {.priority = 5, .tenant_id = "acme"});
    add("c");
    EXPECT_THAT(ids_of({.topics = {"mail"}, .jobs = 10}), IsEmpty());
    EXPECT_THAT(ids_of({.topics = {"invoice"}, .jobs = 10, .tenants = {""}}), ElementsAre("c"));
    EXPECT_THAT(ids_of({.topics = {"invoice"}, .jobs = 1, .by_priority = true}), ElementsAre("b"));
}

TEST_F(PublicWorkers, What_cannot_be_meant_is_refused) {
    EXPECT_THROW((void)first_.acquire({}), std::invalid_argument);
    EXPECT_THROW((void)first_.acquire({.topics = {"a"}, .lock = 0s}), std::invalid_argument);
    EXPECT_THROW((void)ExternalWorker(engine_, "").give_back_all(), std::invalid_argument);
    engine_.in_transaction([&](Transaction&) {
        EXPECT_THROW((void)first_.acquire({.topics = {"a"}}), std::logic_error);
    });
}

TEST_F(PublicWorkers, A_broker_hears_of_jobs_that_are_free) {
    int heard = 0;
    engine_.on_external_jobs([&] { ++heard; });
    engine_.enqueue({.handler_type = "mail"});
    EXPECT_EQ(heard, 0);
    add("a");
    EXPECT_EQ(heard, 1);
    first_.give_back({take(first_).held});
    EXPECT_EQ(heard, 2);
    engine_.on_external_jobs({});
    add("b");
    EXPECT_EQ(heard, 2);
}

}  // namespace

}  // namespace jobstrand::test
