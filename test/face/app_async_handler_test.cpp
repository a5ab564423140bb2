#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>
#include <jobstrand/on_asio.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

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

}  // namespace
}  // namespace jobstrand::test
