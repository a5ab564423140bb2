#include <jobstrand/engine.hpp>

#include <chrono>
#include <future>
#include <string>

using namespace std::chrono_literals;

/// An app that knows nothing but the installed library: enqueues a job and waits until it has run.
int main() {
    std::promise<std::string> greeted;

    jobstrand::Engine engine({.database_url = "sqlite:consumer.db"});
    engine.add_handler("greet", [&](const jobstrand::JobContext& context) {
        greeted.set_value(std::string(context.job.payload));
        return jobstrand::Succeeded{};
    });
    engine.start();
    engine.enqueue({.handler_type = "greet", .payload = R"("world")"});

    std::future<std::string> greeting = greeted.get_future();
    const bool greeted_in_time = greeting.wait_for(30s) == std::future_status::ready;
    const bool stopped = engine.stop();
    return greeted_in_time && stopped && greeting.get() == R"("world")" ? 0 : 1;
}
