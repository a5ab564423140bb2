#include "tools/engine/wiring.hpp"

#include <chrono>
#include <future>
#include <string>

using namespace std::chrono_literals;

namespace executor = jobstrand::executor;

/// An app that knows nothing but the installed library: enqueues a job and waits until it has run.
int main() {
    const jobstrand::schema::SystemClock clock;
    jobstrand::schema::SilentLog log;
    std::promise<std::string> greeted;

    jobstrand::engine::Wiring engine({.database_url = "sqlite:consumer.db"}, clock, log);
    engine.handlers().add("greet", [&](const executor::JobContext& context) {
        greeted.set_value(context.job.payload);
        return executor::HandlerResult(executor::Succeeded{});
    });
    engine.start();
    engine.enqueue({.handler_type = "greet", .payload = R"("world")"});

    std::future<std::string> greeting = greeted.get_future();
    const bool greeted_in_time = greeting.wait_for(30s) == std::future_status::ready;
    const bool stopped = engine.stop(executor::StopMode::drain);
    return greeted_in_time && stopped && greeting.get() == R"("world")" ? 0 : 1;
}
