#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "tools/engine/wiring.hpp"

#include <gtest/gtest.h>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

// R155
TEST(SqliteWakeup, A_job_that_another_process_commits_runs_without_a_poll) {
    const SqliteFile file;
    const schema::SystemClock clock;
    RecordingLog log;
    engine::Wiring engine(
        {.database_url = file.url_text(),
         .executor = {.acquire_first_wait = 1h, .acquire_wait = 1h, .timer_wait = 1h}},
        clock,
        log
    );
    Signal runs;
    engine.handlers().add("count", [&](const executor::JobContext&) {
        runs.notify();
        return executor::Succeeded{};
    });
    engine.start();
    const auto other = file.connect();
    // The first pass of the acquisition may still see the first one.
    for (const std::size_t job : {1U, 2U, 3U}) {
        other->run_script(
            "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('" + std::to_string(job) +
            "', 'count')"
        );
        EXPECT_TRUE(runs.wait_for(job));
    }
    EXPECT_TRUE(engine.stop(executor::StopMode::drain));
}

}  // namespace

}  // namespace jobstrand::test
